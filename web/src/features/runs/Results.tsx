/** The measured cases of one scenario; lossy results have their own table, without shapes. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { QuantityText, TimeText } from "@/components/ui/text";
import { sizeName } from "@/lib/cases";
import { toPoint } from "@/lib/paths";
import { acceptedText, lossMark, nsPerMessage, OVERSUBSCRIBED } from "@/lib/points";
import { formatCount, formatNs, quantityOfRate } from "@/lib/units";
import { latencyMeaning, placementName, scenarioName } from "@/lib/vocabulary";
import { type MeasuredResult, type ResultTable, resultTables } from "./data";

type Props = { project: string; runId: string; scenario: string; results: MeasuredResult[] };

const SHAPES = "Log scale. Band: middle half; ticks: median, p99; line: min to p99; dot: max.";

export function Results({ project, runId, scenario, results }: Props) {
  const { shared, lossless, lossy } = resultTables(results);
  const meaning = latencyMeaning(scenario);
  const label = `Results, ${scenarioName(scenario)}`;
  const links = { project, runId };
  return (
    <>
      {shared.length > 0 && <p className="section-note">All rows: {shared.join(", ")}.</p>}
      {lossless.rows.length > 0 && <Table {...links} label={label} table={lossless} isLossy={false} />}
      {lossy.rows.length > 0 && (
        <div className={lossless.rows.length > 0 ? "subsection" : undefined}>
          <p className="warning">
            Lossy: messages lost, duplicated, reordered or altered. Not comparable with lossless results.
          </p>
          <Table {...links} label={`${label}, lossy`} table={lossy} isLossy />
        </div>
      )}
      <p className="section-note">
        {meaning !== null && `Latency: ${meaning}. `}
        {(lossless.hasOversubscribed || lossy.hasOversubscribed) && `Oversubscribed: ${OVERSUBSCRIBED}. `}
        {lossless.rows.length > 0 && SHAPES}
      </p>
    </>
  );
}

type TableProps = { project: string; runId: string; label: string; table: ResultTable; isLossy: boolean };

function Table({ project, runId, label, table: { rows, domain, columns }, isLossy }: TableProps) {
  const explained = (name: string, title: string) => ({ name, className: "number", title });
  const { hasMessages, hasDueTimes } = columns;
  return (
    <RowTable
      label={label}
      className="table table-dense"
      rows={rows.map(({ result, traits }) => ({
        ...result,
        traits,
        each: nsPerMessage(result.point, result.case),
      }))}
      keyOf={({ series_id }) => series_id}
      columns={[
        [
          rowHead("Transport"),
          ({ series_id, transport }) => <Link {...toPoint(project, series_id, runId)}>{transport.slug}</Link>,
        ],
        ["Mode", ({ case: kase }) => kase.mode, "muted"],
        ["Placement", ({ case: kase }) => placementName(kase.placement), "muted"],
        [numeric("Message"), ({ case: kase }) => sizeName(kase)],
        columns.hasParameters && ["Parameters", (row) => <Parameters {...row} />, "muted apart"],
        domain !== null && [
          `${formatNs(domain[0])} to ${formatNs(domain[1])}`,
          ({ point }) => (
            <LatencyShape latency={point.latency_ns} domain={domain} width={hasMessages ? 100 : 150} />
          ),
        ],
        [numeric("p50"), ({ point }) => <TimeText plain={point.lossy} ns={point.latency_ns.p50} />],
        hasMessages && [
          explained(
            isLossy ? "Per delivered message" : "Per message",
            `p50 divided by ${isLossy ? "delivered messages per receiver" : "messages per operation"}`,
          ),
          ({ each }) => each !== null && <TimeText plain isDivided ns={each} />,
        ],
        ...(["p98", "p99", "max"] as const).map(
          (key) =>
            [
              numeric(key === "max" ? "Max" : key),
              ({ point }: MeasuredResult) => <TimeText plain ns={point.latency_ns[key]} />,
            ] as const,
        ),
        columns.hasRate && [
          numeric("Throughput"),
          ({ point: { lossy, bytes_per_second: rate } }) =>
            rate != null && <QuantityText plain={lossy} quantity={quantityOfRate(rate)} />,
        ],
        hasDueTimes && [
          explained("Late", "sent a whole interval late or more"),
          ({ observed }) => observed?.late != null && formatCount(observed.late),
        ],
        hasDueTimes && [
          explained("Missed", "received after the next was due, or never"),
          ({ observed }) => observed?.missed != null && formatCount(observed.missed),
        ],
        hasDueTimes && [
          explained("CPU per message", "CPU time of all ends per delivered message"),
          ({ observed }) =>
            observed?.cpu_ns_per_message != null && <TimeText plain ns={observed.cpu_ns_per_message} />,
        ],
        [
          numeric("Delivered"),
          ({ point, case: kase }) => (
            <>
              {point.lossy ? lossMark(point, kase) : formatCount(point.delivered)}
              {point.accepted < point.attempted && <span className="line">{acceptedText(point)}</span>}
            </>
          ),
          ({ point }) => ({ className: point.lossy ? "number loss warning" : "number" }),
        ],
        [numeric("Repetitions"), (result) => <Repetitions {...result} />, "number flexible"],
      ]}
    />
  );
}

/** Traits of a result that have no column. */
function Parameters({ traits, observed }: Pick<MeasuredResult, "observed"> & { traits: string[] }) {
  return (
    <>
      {traits.join(", ")}
      {observed?.oversubscribed && (
        <>
          {traits.length > 0 && ", "}
          <span className="warning" title={OVERSUBSCRIBED}>
            oversubscribed
          </span>
        </>
      )}
    </>
  );
}

function Repetitions({ point, observed }: Pick<MeasuredResult, "point" | "observed">) {
  const reasons = observed?.disturbed.map(({ reason }) => reason).join("\n");
  return (
    <>
      {formatCount(point.repetition_count)}
      {point.disturbed_count > 0 && (
        <>
          {" "}
          <span className="warning unbroken" title={reasons}>
            ({formatCount(point.disturbed_count)} disturbed)
          </span>
        </>
      )}
    </>
  );
}
