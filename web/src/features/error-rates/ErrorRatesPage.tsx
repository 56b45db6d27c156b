/** Error rates of a project: a headline, then tables by machine and class of series. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorRatesQuery } from "@/api/queries";
import type { ClassErrorRates, ErrorRateList, MachineErrorRates } from "@/api/types";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, Table } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { useTitle } from "@/lib/hooks";
import { docsHref } from "@/lib/paths";
import { counted, formatCount } from "@/lib/units";
import {
  type CellText,
  changeName,
  comparisonsOf,
  FIGURES,
  type Figure,
  foundShare,
  headlineOf,
  rarity,
  thresholdText,
} from "./data";

const route = getRouteApi("/$project/error-rates");

export function ErrorRatesPage() {
  const { project } = route.useParams();
  const { data: rates } = useSuspenseQuery(errorRatesQuery(project));
  const [figure, setFigure] = useState<Figure>("p50");
  useTitle(`Error rates of ${project}`);
  if (rates.computed_at === null) return <NoErrorRates />;
  return (
    <>
      <header>
        <h1>{headlineOf(rates)}</h1>
        <p className="lede">
          {thresholdText(rates.total.p50)} {comparisonsOf(rates)} Updated daily, last{" "}
          <Ago moment={rates.computed_at} />.
        </p>
      </header>
      <Section
        title="Change points"
        tools={<Segmented label="Figure" options={optionsOf(FIGURES)} value={figure} onChange={setFigure} />}
      >
        <ChangePoints {...rates} figure={figure} />
      </Section>
      <Section title="A/A comparisons">
        <Comparisons machines={rates.machines} />
      </Section>
      <Section title="Method">
        <Method />
      </Section>
    </>
  );
}

function NoErrorRates() {
  return (
    <div className="state">
      <h1>No error rates yet</h1>
      <p>Computed daily, first about an hour after the first run or a new threshold.</p>
      <Method />
    </div>
  );
}

function Method() {
  return (
    <p className="section-note">
      Estimated from resampled series and halves of runs.{" "}
      <a href={docsHref("explanation/error-rates.md")}>Method and limits</a>
    </p>
  );
}

type Props = Pick<ErrorRateList, "machines" | "total"> & { figure: Figure };

function ChangePoints({ machines, total, figure }: Props) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.[figure].steps.map(({ change }) => change) ?? [];
  return (
    <>
      <Table
        label="Change points"
        className="table table-dense"
        heads={[
          "Class",
          numeric("False alarms (points)"),
          ...changes.map((change) => numeric(`${changeName(change)} found`)),
          numeric("Series"),
        ]}
      >
        <Groups machines={machines} columns={3 + changes.length}>
          {({ series_count, [figure]: history }) => (
            <>
              <Cell cell={rarity(history.false_alarms)} />
              {history.steps.map(({ change, found, median_delay_points }) => (
                <Cell
                  key={change}
                  cell={foundShare(found)}
                  {...(median_delay_points !== null && { more: counted(median_delay_points, "point") })}
                />
              ))}
              <td className="number">{series_count}</td>
            </>
          )}
        </Groups>
      </Table>
      <p className="section-note">
        {figure === "tail" && `Tail: p99 / p50. ${thresholdText(total.tail)} No alerts. `}
        Second line: 95 % CI, median delay. No data: fewer than about 60 points at one level.
      </p>
    </>
  );
}

function Comparisons({ machines }: { machines: MachineErrorRates[] }) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.comparisons.changes.map(({ change }) => change) ?? [];
  return (
    <>
      <Table
        label="A/A comparisons"
        className="table table-dense"
        heads={[
          "Class",
          numeric("False positives (cases)"),
          ...changes.map((change) => numeric(`${changeName(change)} found`)),
          numeric("Untested cases"),
        ]}
      >
        <Groups machines={machines} columns={3 + changes.length} note={machineNote}>
          {({ comparisons }) => (
            <>
              <Cell cell={rarity(comparisons.false_verdicts)} />
              {comparisons.changes.map(({ change, found }) => (
                <Cell key={change} cell={foundShare(found)} />
              ))}
              <td className="number">{formatCount(comparisons.untested_count)}</td>
            </>
          )}
        </Groups>
      </Table>
      <p className="section-note">
        Found: share detected if one case changes; comparisons of two commits detect more. Untested: fewer
        than 12 repetitions.
      </p>
    </>
  );
}

/** `1 of 200 A/A comparisons with a false positive`. */
function machineNote({ false_comparisons: { count, of_count } }: MachineErrorRates): string {
  if (of_count === 0) return "no A/A comparisons";
  return `${formatCount(count)} of ${counted(of_count, "A/A comparison")} with a false positive`;
}

type GroupsProps = {
  machines: MachineErrorRates[];
  columns: number;
  note?: (machine: MachineErrorRates) => string;
  children: (rates: ClassErrorRates) => ReactNode;
};

function Groups({ machines, columns, note, children }: GroupsProps) {
  return machines.map((machine) => (
    <tbody key={machine.machine}>
      <tr className="group">
        <th scope="rowgroup" colSpan={columns}>
          {machine.machine}
          {note !== undefined && <span className="muted"> {note(machine)}</span>}
        </th>
      </tr>
      {machine.classes.map((rates) => (
        <tr key={`${rates.transport} ${rates.scenario}`}>
          <th scope="row">
            {rates.transport} <span className="muted">{rates.scenario}</span>
          </th>
          {children(rates)}
        </tr>
      ))}
    </tbody>
  ));
}

type CellProps = {
  cell: CellText | null;
  more?: string;
};

function Cell({ cell, more }: CellProps) {
  if (cell === null) return <td className="number muted">no data</td>;
  return (
    <td className="number">
      {cell.text}
      <span className="line sureness">
        {cell.interval}
        {more !== undefined && `, ${more}`}
      </span>
    </td>
  );
}
