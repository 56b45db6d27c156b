/** The measured cases of one scenario by transport; lossy results have their own table, without shapes. */
import { Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { type RowLink, SeriesTable, type ValueColumn } from "@/components/series/SeriesTable";
import type { ListChange } from "@/components/series/search";
import { type Head, numeric } from "@/components/ui/Table";
import { QuantityText, TimeText } from "@/components/ui/text";
import { toPoint } from "@/lib/paths";
import { acceptedText, lossMark, nsPerMessage, OVERSUBSCRIBED } from "@/lib/points";
import { supports } from "@/lib/statistics";
import { formatCount, formatNs, quantityOfRate } from "@/lib/units";
import { latencyMeaning, scenarioName } from "@/lib/vocabulary";
import { type MeasuredResult, type ResultRow, type ResultTable, resultTables } from "./data";
import type { RunSearch } from "./search";

type Props = {
  project: string;
  runId: string;
  scenario: string;
  results: MeasuredResult[];
  search: RunSearch;
  onSearch: (change: ListChange) => void;
};

const SHAPES = "Log scale. Band: middle half; ticks: median, p99; line: min to p99; dot: max.";

export function Results({ scenario, results, ...links }: Props) {
  const { lossless, lossy } = useMemo(() => resultTables(results), [results]);
  const meaning = latencyMeaning(scenario);
  const label = `Results, ${scenarioName(scenario)}`;
  return (
    <>
      {lossless.rows.length > 0 && <Table {...links} name={scenario} label={label} table={lossless} />}
      {lossy.rows.length > 0 && (
        <div className={lossless.rows.length > 0 ? "subsection" : undefined}>
          <p className="warning">
            Lossy: messages lost, duplicated, reordered or altered. Not comparable with lossless results.
          </p>
          <Table {...links} name={`${scenario} lossy`} label={`${label}, lossy`} table={lossy} />
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

type TableProps = Omit<Props, "scenario" | "results"> & { name: string; label: string; table: ResultTable };

const keyOf = ({ series_id }: ResultRow) => series_id;
const describe = (row: ResultRow) => row;

function Table({ project, runId, name, label, table, search, onSearch }: TableProps) {
  const columns = useMemo(() => columnsOf(table), [table]);
  const link = useCallback(
    ({ series_id }: ResultRow, row: RowLink) => <Link {...toPoint(project, series_id, runId)} {...row} />,
    [project, runId],
  );
  return (
    <SeriesTable
      name={name}
      label={label}
      rows={table.rows}
      keyOf={keyOf}
      describe={describe}
      link={link}
      columns={columns}
      search={search}
      onSearch={onSearch}
      group="transport"
      // A search for a transport shows its results.
      isFolded={search.transport === undefined}
      about={(rows) => `p50 ${rangeText(rows)}`}
    />
  );
}

/** The smallest and the largest median: `3.1 to 120 µs`. */
function rangeText(rows: readonly ResultRow[]): string {
  const p50s = rows.map(({ point }) => point.latency_ns.p50);
  const [low, high] = [formatNs(Math.min(...p50s)), formatNs(Math.max(...p50s))];
  return low === high ? low : `${low} to ${high}`;
}

function columnsOf({ domain, columns, isLossy }: ResultTable): ValueColumn<ResultRow>[] {
  const { hasMessages, hasRate, hasDueTimes } = columns;
  const explained = (name: string, title: string): Head => ({ name, className: "number", title });
  const time = (key: "p50" | "p98" | "p99" | "max"): ValueColumn<ResultRow> => ({
    key,
    head: numeric(key === "max" ? "Max" : key),
    order: ({ point }) => (supports(point.count, key) ? point.latency_ns[key] : null),
    cell: ({ point }) =>
      supports(point.count, key) && (
        <TimeText plain={point.lossy || key !== "p50"} ns={point.latency_ns[key]} />
      ),
  });
  const all: (ValueColumn<ResultRow> | false)[] = [
    domain !== null && {
      key: "shape",
      head: { name: `${formatNs(domain[0])} to ${formatNs(domain[1])}`, className: "whole" },
      cell: ({ point }) => (
        <LatencyShape latency={point.latency_ns} domain={domain} width={hasMessages ? 100 : 150} />
      ),
    },
    time("p50"),
    hasMessages && {
      key: "each",
      head: explained(
        isLossy ? "Per delivered message" : "Per message",
        `p50 divided by ${isLossy ? "delivered messages per receiver" : "messages per operation"}`,
      ),
      order: ({ point, case: kase }) => nsPerMessage(point, kase),
      cell: ({ point, case: kase }) => {
        const each = nsPerMessage(point, kase);
        return each !== null && <TimeText plain isDivided ns={each} />;
      },
    },
    time("p98"),
    time("p99"),
    time("max"),
    hasRate && {
      key: "throughput",
      head: numeric("Throughput"),
      order: ({ point }) => point.bytes_per_second,
      cell: ({ point: { lossy, bytes_per_second: rate } }) =>
        rate != null && <QuantityText plain={lossy} quantity={quantityOfRate(rate)} />,
    },
    hasDueTimes && {
      key: "late",
      head: explained("Late", "sent a whole interval late or more"),
      order: ({ observed }) => observed?.late ?? null,
      cell: ({ observed }) => observed?.late != null && formatCount(observed.late),
    },
    hasDueTimes && {
      key: "missed",
      head: explained("Missed", "received after the next was due, or never"),
      order: ({ observed }) => observed?.missed ?? null,
      cell: ({ observed }) => observed?.missed != null && formatCount(observed.missed),
    },
    hasDueTimes && {
      key: "cpu",
      head: explained("CPU per message", "CPU time of all ends per delivered message"),
      order: ({ observed }) => observed?.cpu_ns_per_message ?? null,
      cell: ({ observed }) =>
        observed?.cpu_ns_per_message != null && <TimeText plain ns={observed.cpu_ns_per_message} />,
    },
    {
      key: "delivered",
      head: numeric("Delivered"),
      order: ({ point }) => point.delivered,
      look: ({ point }) => ({ className: point.lossy ? "number loss warning" : "number" }),
      cell: ({ point, case: kase }) => (
        <>
          {point.lossy ? lossMark(point, kase) : formatCount(point.delivered)}
          {point.accepted < point.attempted && <span className="line">{acceptedText(point)}</span>}
        </>
      ),
    },
    {
      key: "repetitions",
      head: { name: "Repetitions", className: "number flexible" },
      order: ({ point }) => point.repetition_count,
      cell: (row) => <Repetitions {...row} />,
    },
  ];
  return all.filter((column) => column !== false);
}

function Repetitions({ point, observed }: Pick<MeasuredResult, "point" | "observed">) {
  const reasons = observed?.disturbed.map(({ reason }) => reason).join("\n");
  return (
    <>
      {formatCount(point.repetition_count)}
      {observed?.oversubscribed && (
        <>
          {" "}
          <span className="warning unbroken" title={OVERSUBSCRIBED}>
            oversubscribed
          </span>
        </>
      )}
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
