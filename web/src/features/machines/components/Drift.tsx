/** How a machine's canaries went over its runs, one small chart each: what no commit can have changed. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { canariesQuery } from "@/api/queries";
import type { CanaryReading } from "@/api/types";
import { CanaryChart } from "@/components/chart/CanaryChart";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { QuantityText } from "@/components/ui/QuantityText";
import { Segmented } from "@/components/ui/Segmented";
import { canariesOf, canaryMeaning, driftOf, environmentChanges, readingsOf } from "@/lib/canaries";
import { formatDay, formatMoment } from "@/lib/time";
import { counted, formatNs, quantityOfNs, upperFirst } from "@/lib/units";
import { driftText } from "../data";
import { parseMachineSearch, REACHES } from "../search";

const route = getRouteApi("/$project/machines/$machine");

const OPTIONS = REACHES.toSorted((a, b) => a - b).map((reach) => ({
  value: String(reach),
  label: `${reach.toLocaleString("en")} runs`,
}));

export function Drift() {
  const { project, machine } = route.useParams();
  const { last = REACHES[0] } = route.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(canariesQuery(project, machine, last));
  const readings = data?.readings ?? [];
  const slugs = canariesOf(readings);
  const rules = environmentChanges(readings);
  const choose = (value: string) => {
    const search = parseMachineSearch({ last: Number(value) });
    return navigate({
      to: ".",
      search: (previous) => ({ ...previous, ...search }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <ChartFrame
      name="canaries"
      title="Canary drift"
      summary={summaryOf(readings.length, slugs.length, rules.length)}
      table={slugs.length === 0 ? null : tableOf(machine, readings, slugs)}
      controls={<Segmented label="How far back" options={OPTIONS} value={String(last)} onChange={choose} />}
      {...(data === undefined && { pending: { error, onRetry: () => void refetch() } })}
    >
      <div className="multiples">
        {slugs.map((slug) => (
          <Multiple key={slug} slug={slug} readings={readings} rules={rules} />
        ))}
      </div>
    </ChartFrame>
  );
}

type MultipleProps = { slug: string; readings: CanaryReading[]; rules: number[] };

function Multiple({ slug, readings, rules }: MultipleProps) {
  const own = readingsOf(readings, slug);
  const newest = own.at(-1);
  const drift = driftOf(readings, slug);
  const text = driftText(drift);
  return (
    <section aria-labelledby={`canary-${slug}`}>
      <h3 id={`canary-${slug}`} className="multiple-head">
        {slug}
        {newest !== undefined && <QuantityText quantity={quantityOfNs(newest.p50_ns)} />}
      </h3>
      <p className="multiple-note">
        {upperFirst(canaryMeaning(slug))}.
        <br />
        {upperFirst(text)}.
      </p>
      <CanaryChart
        name={`${slug} over ${counted(readings.length, "run")}: ${newest === undefined ? "not read" : `${formatNs(newest.p50_ns)} now`}, ${text}`}
        readings={own}
        runCount={readings.length}
        rules={rules}
        runName={(place) => runName(readings[place])}
        endName={(place) => dayOf(readings[place])}
      />
    </section>
  );
}

function summaryOf(runCount: number, canaryCount: number, changeCount: number): string {
  if (canaryCount === 0) return "No run of this machine has read its canaries.";
  const rules = changeCount === 0 ? "" : " Dotted rules: its environment became another one.";
  return `What the machine read of itself in its last ${counted(runCount, "run")}, each the median of a run’s readings. It cannot have changed with a commit.${rules}`;
}

function runName(reading: CanaryReading | undefined): string {
  return reading === undefined ? "" : `${formatMoment(reading.started_at)}, commit ${reading.commit_ordinal}`;
}

function dayOf(reading: CanaryReading | undefined): string {
  return reading === undefined ? "" : formatDay(reading.started_at);
}

function tableOf(machine: string, readings: CanaryReading[], slugs: string[]): ChartTable {
  return {
    fileName: `canaries-${machine}`,
    columns: [
      { label: "run began", csvName: "started_at", number: false },
      { label: "commit", csvName: "commit_ordinal", number: true },
      { label: "environment", csvName: "environment_id", number: true },
      ...slugs.map((slug) => ({ label: slug, csvName: `${slug}_ns_p50`, number: true })),
    ],
    rows: () =>
      readings.toReversed().map(({ run_id, started_at, commit_ordinal, environment_id, p50_ns }) => ({
        key: run_id,
        cells: [
          formatMoment(started_at),
          String(commit_ordinal),
          String(environment_id),
          ...slugs.map((slug) => (p50_ns[slug] === undefined ? "not read" : formatNs(p50_ns[slug]))),
        ],
        csv: [started_at, commit_ordinal, environment_id, ...slugs.map((slug) => p50_ns[slug] ?? null)],
      })),
  };
}
