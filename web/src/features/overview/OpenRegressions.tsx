/** The most important open regressions; the inbox has all of them. */
import { Link } from "@tanstack/react-router";
import type { LineSeries, Regression, SeriesSummary } from "@/api/types";
import { Sparkline } from "@/components/chart/Sparkline";
import { rowHead, TableSection } from "@/components/ui/Table";
import { CommitName, CommitRange, Quoted } from "@/components/ui/text";
import { caseName, lowerFirst, trafficName } from "@/lib/cases";
import { changeText } from "@/lib/changes";
import { historyOf, marksOf } from "@/lib/history";
import { toMachine, toRegression, toRegressions } from "@/lib/paths";
import { causeText, STATE_NAMES, SURE } from "@/lib/regressions";
import { counted } from "@/lib/units";
import type { RegressionRow } from "./load";

type Props = {
  project: string;
  /** The text of the link to the inbox. */
  all: string;
  rows: RegressionRow[];
  /** The series that changed most, as far as loaded. */
  series: ReadonlyMap<number, SeriesSummary>;
  lines: ReadonlyMap<number, LineSeries>;
};

export function OpenRegressions({ project, all, rows, series, lines }: Props) {
  return (
    <TableSection
      title="Regressions"
      tools={<Link {...toRegressions(project)}>{all}</Link>}
      className="table"
      rows={rows}
      keyOf={({ regression }) => regression.regression_id}
      columns={[
        [
          rowHead("Change"),
          ({ regression, worst }) => {
            const { regression_id, direction, worst_change } = regression;
            return (
              <Link {...toRegression(project, regression_id)} className={`change change-${direction} strong`}>
                {sizeText(regression, worst?.change ?? worst_change)}
              </Link>
            );
          },
        ],
        [
          "Case",
          ({ regression: { series_count }, worst }) => (
            <SeriesName series={series.get(worst?.series_id ?? 0)} count={series_count} />
          ),
          "brief",
        ],
        ["Why", ({ regression }) => <Quoted text={causeText(regression)} />, "flexible"],
        ["Machines", ({ regression }) => <MachineNames project={project} machines={regression.machines} />],
        ["Since", (row) => <Since row={row} />, "flexible"],
        ["Trend", (row) => <Trend row={row} lines={lines} />],
        [
          "State",
          ({ regression: { state, assignee } }) =>
            `${STATE_NAMES[state]}${assignee === null ? "" : `, ${assignee}`}`,
          ({ regression: { state } }) => ({ className: state === "new" ? undefined : "muted" }),
        ],
      ]}
    />
  );
}

/** Without the begin of a drift, which has its own column. */
function sizeText({ kind }: Regression, change: number | null): string {
  const size = change === null ? "unknown" : changeText(change);
  return kind === "drift" ? `${size} drift` : size;
}

function SeriesName({ series, count }: { series: SeriesSummary | undefined; count: number }) {
  if (series === undefined) return counted(count, "series", "series");
  return (
    <>
      <span title={caseName(series.case)}>
        <span className="strong">{series.transport.slug}</span> {lowerFirst(trafficName(series.case))}
      </span>
      {count > 1 && <span className="muted"> and {count - 1} more</span>}
    </>
  );
}

function MachineNames({ project, machines }: { project: string; machines: string[] }) {
  const [only] = machines;
  if (only !== undefined && machines.length === 1) return <Link {...toMachine(project, only)}>{only}</Link>;
  return <span title={machines.join(", ")}>{counted(machines.length, "machine")}</span>;
}

/** The culprit if it is certain, otherwise the range of suspect commits or of a drift. */
function Since({ row: { regression, culprit } }: { row: RegressionRow }) {
  if (regression.cause === "machine") return "machine issue";
  if (culprit === undefined || culprit.probability < SURE) {
    return <CommitRange after={regression.after_commit} until={regression.until_commit} />;
  }
  return <CommitName commit={culprit.commit} />;
}

function Trend({ row: { worst }, lines }: { row: RegressionRow } & Pick<Props, "lines">) {
  const line = worst === null ? undefined : lines.get(worst.series_id);
  if (worst === null || line === undefined) return <Sparkline values={[]} />;
  const figure = worst.figure === "p99" ? "p99" : "p50";
  const history = historyOf(line, figure);
  return <Sparkline values={history.values} marks={marksOf([worst], history.ordinals, [figure])} />;
}
