/** How often what is said of a project is wrong: one sentence, then by machine and class of series. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorRatesQuery } from "@/api/queries";
import type { ClassErrorRates, MachineErrorRates } from "@/api/types";
import { Segmented } from "@/components/ui/controls";
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
} from "./data";

const route = getRouteApi("/$project/error-rates");

export function ErrorRatesPage() {
  const { project } = route.useParams();
  const { data: rates } = useSuspenseQuery(errorRatesQuery(project));
  const [figure, setFigure] = useState<Figure>("p50");
  useTitle(`Error rates of ${project}`);
  if (rates.computed_at === null) return <NotCounted />;
  return (
    <>
      <header>
        <h1>{headlineOf(rates)}</h1>
        <p className="lede">
          {comparisonsOf(rates)} Counted <Ago moment={rates.computed_at} /> of the points of this project,
          once a day.
        </p>
      </header>
      <Section
        title="Changes in series"
        tools={
          <Segmented
            label="Figure"
            options={FIGURES.map((name) => ({ value: name, label: name }))}
            value={figure}
            onChange={setFigure}
          />
        }
      >
        <Changes machines={rates.machines} figure={figure} />
      </Section>
      <Section title="Comparisons of a commit with itself">
        <Comparisons machines={rates.machines} />
      </Section>
      <Section title="How this is counted">
        <Method />
      </Section>
    </>
  );
}

function NotCounted() {
  return (
    <div className="state">
      <h1>Nothing was counted yet</h1>
      <p>
        Once a day the server counts, from the points of this project, how often what it says of each machine
        is wrong. The first figures stand here about an hour after the first run.
      </p>
      <Method />
    </div>
  );
}

function Method() {
  return (
    <p className="section-note">
      Nothing here is simulated from a formula. What is left of each series when its levels are taken away, is
      put together anew in blocks of twenty neighbours: series that scatter as the real ones do, and have no
      change. The search that serves this project runs over them, as they are and with a step that is added.
      Comparisons are of real runs, one half of the repetitions against the other.{" "}
      <a href={docsHref("explanation/error-rates.md")}>How, and what it does not cover</a>.
    </p>
  );
}

type Props = { machines: MachineErrorRates[]; figure: Figure };

/** Changes in series: false alarms and what is found, by machine and class. */
function Changes({ machines, figure }: Props) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.[figure].steps.map(({ change }) => change) ?? [];
  return (
    <>
      <Table
        label="Changes"
        className="table table-dense"
        heads={[
          "class",
          numeric("told by mistake, points"),
          ...changes.map((change) => numeric(`${changeName(change)} found`)),
          numeric("series"),
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
        Below each figure its 95 % interval and, where a step is found, how many points it had by then: the
        median. “Cannot tell”: no series of the class has some sixty points of one level.
      </p>
    </>
  );
}

/** Comparisons of a commit with itself: false verdicts and what is found, by machine and class. */
function Comparisons({ machines }: { machines: MachineErrorRates[] }) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.comparisons.changes.map(({ change }) => change) ?? [];
  return (
    <>
      <Table
        label="Comparisons"
        className="table table-dense"
        heads={[
          "class",
          numeric("told by mistake, cases"),
          ...changes.map((change) => numeric(`${changeName(change)} found`)),
          numeric("cannot tell, cases"),
        ]}
      >
        <Groups machines={machines} columns={3 + changes.length} note={wholeText}>
          {({ comparisons }) => (
            <>
              <Cell cell={rarity(comparisons.false_verdicts)} />
              {comparisons.changes.map(({ change, found }) => (
                <Cell key={change} cell={foundShare(found)} />
              ))}
              <td className="number">{formatCount(comparisons.untold_count)}</td>
            </>
          )}
        </Groups>
      </Table>
      <p className="section-note">
        Half of a run’s repetitions against the other half; found is what a change in one case alone would be.
        A comparison of two commits has all repetitions on either side, and finds more. With fewer than twelve
        repetitions a case cannot tell.
      </p>
    </>
  );
}

/** `1 of 200 comparisons found a change that is not there`. */
function wholeText({ false_comparisons: { count, of_count } }: MachineErrorRates): string {
  if (of_count === 0) return "no run could be compared with itself";
  return `${formatCount(count)} of ${counted(of_count, "comparison")} found a change that is not there`;
}

type GroupsProps = {
  machines: MachineErrorRates[];
  columns: number;
  note?: (machine: MachineErrorRates) => string;
  children: (rates: ClassErrorRates) => ReactNode;
};

/** The rows of a table by machine, then class. */
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

/** A counted share in a table, with how sure it is; in words where nothing could be counted. */
function Cell({ cell, more }: CellProps) {
  if (cell === null) return <td className="number muted">cannot tell</td>;
  return (
    <td className="number">
      {cell.text}
      <span className="line sureness">
        {cell.sureness}
        {more !== undefined && `, ${more}`}
      </span>
    </td>
  );
}
