/** What is open: how much, where, since which commit, and how it went; all of them are in the inbox. */
import { Link } from "@tanstack/react-router";
import type { ChangePoint, LineSeries, SeriesSummary } from "@/api/types";
import { Sparkline } from "@/components/chart/Sparkline";
import { Section } from "@/components/ui/states";
import { numeric, Table } from "@/components/ui/Table";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { historyOf, marksOf } from "@/lib/history";
import { toMachine, toRegression, toRegressions } from "@/lib/paths";
import { changeText, rangeText, STATE_NAMES } from "@/lib/regressions";
import { counted, quantityOfNs } from "@/lib/units";
import type { RegressionRow } from "./load";

/** From this probability on a commit is named alone. */
const SURE = 0.9;

type Props = {
  project: string;
  /** The sentence that leads to the inbox. */
  all: string;
  rows: RegressionRow[];
  /** Of what changed most, as far as they have arrived. */
  series: ReadonlyMap<number, SeriesSummary>;
  lines: ReadonlyMap<number, LineSeries>;
};

export function OpenRegressions({ project, all, rows, series, lines }: Props) {
  return (
    <Section title="Open regressions" tools={<Link {...toRegressions(project)}>{all}</Link>}>
      <Table
        label="Open regressions"
        heads={[numeric("change"), "level", "case", "figure", "machines", "since", "last 60 points", "state"]}
      >
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.regression.regression_id}
              project={project}
              row={row}
              series={row.worst === null ? undefined : series.get(row.worst.series_id)}
              lines={lines}
            />
          ))}
        </tbody>
      </Table>
    </Section>
  );
}

type RowProps = {
  project: string;
  row: RegressionRow;
  series: SeriesSummary | undefined;
  lines: ReadonlyMap<number, LineSeries>;
};

function Row({ project, row, series, lines }: RowProps) {
  const { regression, worst } = row;
  const { regression_id, direction, worst_change, series_count, machines, state, assignee } = regression;
  const change = worst?.change ?? worst_change;
  return (
    <tr>
      <th scope="row" className="number">
        <Link {...toRegression(project, regression_id)} className={`change change-${direction} strong`}>
          {change === null ? "unknown" : changeText(change)}
        </Link>
      </th>
      <td className="muted">{worst !== null && levelText(worst)}</td>
      <td className="flexible">
        {series === undefined ? (
          counted(series_count, "series", "series")
        ) : (
          <>
            <span className="strong">{series.transport.slug}</span> {caseName(series.case)}
            {series_count > 1 && <span className="muted"> and {series_count - 1} more</span>}
          </>
        )}
      </td>
      <td className="muted">{worst?.figure}</td>
      <td>
        <MachineNames project={project} machines={machines} />
      </td>
      <td className="since">
        <Since row={row} />
      </td>
      <td>
        <Trend row={row} lines={lines} />
      </td>
      <td className={state === "new" ? undefined : "muted"}>
        {STATE_NAMES[state]}
        {assignee !== null && `, ${assignee}`}
      </td>
    </tr>
  );
}

/** From which level to which: `4.02 to 4.64 µs`, or with two units where it takes them. */
function levelText({ before_ns, after_ns }: ChangePoint): string {
  const [before, after] = [before_ns, after_ns].map((ns) => quantityOfNs(Math.round(ns)));
  if (before === undefined || after === undefined) return "";
  const unit = before.unit === after.unit ? "" : ` ${before.unit}`;
  return `${before.value}${unit} to ${after.value} ${after.unit}`;
}

function MachineNames({ project, machines }: { project: string; machines: string[] }) {
  const [only] = machines;
  if (only !== undefined && machines.length === 1) return <Link {...toMachine(project, only)}>{only}</Link>;
  return <span title={machines.join(", ")}>{counted(machines.length, "machine")}</span>;
}

/** The commit that made it, where one is sure; else those of which one did. */
function Since({ row: { regression, culprit } }: { row: RegressionRow }) {
  if (regression.cause === "machine") return "a machine, no commit";
  if (culprit === undefined || culprit.probability < SURE) {
    return rangeText(regression.after_commit, regression.until_commit);
  }
  const { sha, subject } = culprit.commit;
  return (
    <>
      <code title={sha}>{shortSha(sha)}</code> <span className="muted">{subject}</span>
    </>
  );
}

function Trend({ row: { worst }, lines }: Pick<RowProps, "row" | "lines">) {
  const line = worst === null ? undefined : lines.get(worst.series_id);
  if (worst === null || line === undefined) return <Sparkline values={[]} />;
  const figure = worst.figure === "p99" ? "p99" : "p50";
  const history = historyOf(line, figure);
  return <Sparkline values={history.values} marks={marksOf([worst], history, figure)} />;
}
