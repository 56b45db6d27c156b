/** The question that a publication raises, answered by what was measured here: the answer first, the evidence under it. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { referencesQuery, workedQuery } from "@/api/queries";
import type { EvidenceCell, EvidenceColumn, EvidenceTable, Reference, WorkedMachine } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import type { ForestScale } from "@/components/chart/forest";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { Choice } from "@/components/ui/controls";
import { ScrollRegion } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { useTitle } from "@/lib/hooks";
import { toAdvisor, toPoint, toReference, toSweep, toTopology } from "@/lib/paths";
import { present, slugOf } from "@/lib/search";
import { cellText, csvName, estimateOf, intervalOf, linesOf, markOf, scaleOf, tickText } from "./worked";

const route = getRouteApi("/$project/reference/$reference");

export function WorkedPage() {
  const { project, reference: slug } = route.useParams();
  const { machine: asked } = route.useSearch();
  const navigate = useNavigate({ from: "/$project/reference/$reference" });
  const { data } = useSuspenseQuery(workedQuery(project, slug));
  const { data: published } = useSuspenseQuery(referencesQuery);
  useTitle(data.question);
  const machines = data.machines.map(({ machine }) => machine);
  const answered = data.machines.find(({ machine }) => machine === asked) ?? data.machines[0];
  const reference = published.references.find((entry) => entry.slug === slug);
  return (
    <>
      <header>
        <p className="question">{data.question}</p>
        <h1>{answered?.answer ?? "Nothing that answers this was measured in this project yet."}</h1>
        {reference !== undefined && <Published project={project} reference={reference} />}
      </header>
      {machines.length > 1 && (
        <div className="controls">
          <Choice
            label="Machine"
            values={machines}
            name={(machine) => machine}
            value={answered?.machine ?? ""}
            onChange={(machine) =>
              navigate({
                search: (previous) => present({ ...previous, machine }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
      )}
      {answered !== undefined && <Answered project={project} slug={slug} answered={answered} />}
      {reference !== undefined && <NotComparable reference={reference} />}
      <section className="section" aria-labelledby="measure">
        <h2 id="measure">{answered === undefined ? "What would answer it" : "Measure it on your machine"}</h2>
        <p className="section-note">
          In a clone of the project, this measures what answers it and sends it to this page:
        </p>
        <CommandLine command={`roundtrip run --preset ${data.preset} --upload ${window.location.origin}`} />
      </section>
    </>
  );
}

function Published({
  project,
  reference: { slug, title, summary },
}: {
  project: string;
  reference: Reference;
}) {
  return (
    <p className="lede">
      {summary} That is what{" "}
      <Link {...toReference(project)} hash={slug}>
        {title}
      </Link>{" "}
      says; the answer is of what was measured here.
    </p>
  );
}

/** Where the same figures are looked at in other ways. */
function Further({ project, slug }: { project: string; slug: string }) {
  switch (slug) {
    case "chromium-mach-vs-fifo":
      return <Link {...toAdvisor(project)}>The advisor ranks them for other sizes, too.</Link>;
    case "libipc-macos-backends":
      return <Link {...toTopology(project)}>Topology has all rings over their members.</Link>;
    case "freebsd-pipes-and-sockets":
      return <Link {...toSweep(project)}>The size sweep has all transports.</Link>;
    default:
      return null;
  }
}

type AnsweredProps = { project: string; slug: string; answered: WorkedMachine };

function Answered({ project, slug, answered: { machine, reasons, tables } }: AnsweredProps) {
  return (
    <>
      <section className="section" aria-labelledby="reasons">
        <h2 id="reasons">What that rests on</h2>
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        <p className="section-note">
          <Further project={project} slug={slug} />
        </p>
      </section>
      {tables.map((evidence, place) => (
        <Evidence
          key={evidence.title}
          project={project}
          fileName={`${slug}-${machine}-${place + 1}`}
          evidence={evidence}
        />
      ))}
    </>
  );
}

function NotComparable({ reference: { not_comparable_because } }: { reference: Reference }) {
  return (
    <section className="section" aria-labelledby="not-comparable">
      <h2 id="not-comparable">What is not comparable with what was published</h2>
      <ul className="reasons">
        {not_comparable_because.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </section>
  );
}

type Props = { project: string; fileName: string; evidence: EvidenceTable };

const ROWS_ARE = { message_bytes: "message", transport: "transport", topology: "senders and receivers" };

/** The figures that an answer rests on: as a table, and where they are of sizes, as lines over them. */
export function Evidence({ project, fileName, evidence }: Props) {
  const { title, columns, rows } = evidence;
  const lines = linesOf(evidence);
  const summary = [
    ...(columns.some(({ unit }) => unit === "times") ? ["Ratios with their 95 % intervals."] : []),
    ...(rows.some(({ cells }) => cells.some((cell) => cell?.run_id != null))
      ? ["A figure leads to the point that it is of."]
      : []),
  ];
  return (
    <ChartFrame
      name={slugOf(title)}
      title={title}
      summary={summary.join(" ")}
      table={fileOf(fileName, evidence)}
    >
      {lines.length > 0 && (
        <div className="evidence">
          <SweepChart
            name={`${title}: against message size`}
            lines={lines.map((line) => ({ ...line, current: false }))}
            measure={columns.some(({ unit }) => unit === "bytes_per_second") ? RATE : LATENCY}
          />
        </div>
      )}
      <EvidenceRows project={project} evidence={evidence} />
    </ChartFrame>
  );
}

function EvidenceRows({ project, evidence }: Omit<Props, "fileName">) {
  const { title, rows_are, columns, rows } = evidence;
  const scale = scaleOf(evidence);
  return (
    <ScrollRegion label={title}>
      <table className="table table-dense forest">
        <thead>
          <tr>
            <th scope="col">{ROWS_ARE[rows_are]}</th>
            {columns.map((column) => (
              <HeadCells key={column.name} column={column} scale={scale} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((column, place) => (
                <BodyCells
                  key={column.name}
                  project={project}
                  column={column}
                  cell={cells[place] ?? null}
                  scale={scale}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** A ratio has its interval and its place on the axis beside it. */
function HeadCells({ column: { name, unit }, scale }: { column: EvidenceColumn; scale: ForestScale | null }) {
  return (
    <>
      <th scope="col" className="number">
        {name}
      </th>
      {unit === "times" && (
        <>
          <th scope="col" className="number">
            95 % interval
          </th>
          <th scope="col" className="forest-cell">
            {scale !== null && (
              <ForestAxis
                name={`${name}, with its 95 % interval, from ${tickText(-scale.limit)} to ${tickText(scale.limit)}`}
                scale={scale}
                label={tickText}
              />
            )}
          </th>
        </>
      )}
    </>
  );
}

type CellProps = {
  project: string;
  column: EvidenceColumn;
  cell: EvidenceCell | null;
  scale: ForestScale | null;
};

function BodyCells({ project, column, cell, scale }: CellProps) {
  return (
    <>
      <td className="number">
        {cell === null ? <span className="muted">none</span> : <Figure {...{ project, column, cell }} />}
      </td>
      {column.unit === "times" && (
        <>
          <td className="number muted">{cell === null ? "" : intervalOf(cell)}</td>
          <td className="forest-cell">
            {cell !== null && scale !== null && (
              <ForestRow estimate={estimateOf(cell)} mark={markOf(cell)} scale={scale} />
            )}
          </td>
        </>
      )}
    </>
  );
}

function Figure({ project, column, cell }: { project: string; column: EvidenceColumn; cell: EvidenceCell }) {
  const text = cellText(cell, column);
  const { series_id, run_id } = cell;
  return series_id === null || run_id === null ? (
    text
  ) : (
    <Link {...toPoint(project, series_id, run_id)}>{text}</Link>
  );
}

/** The same as rows of a file: what a figure's interval is stands in columns of its own. */
function fileOf(fileName: string, { rows_are, columns, rows }: EvidenceTable): ChartTable {
  const ends = ({ unit }: EvidenceColumn) => (unit === "times" ? ["low", "high"] : []);
  return {
    fileName,
    columns: [
      { label: ROWS_ARE[rows_are], csvName: rows_are, number: false },
      ...columns.flatMap((column) => [
        { label: column.name, csvName: csvName(column), number: true },
        ...ends(column).map((end) => ({
          label: `${column.name}, ${end}`,
          csvName: `${column.name}, ${end} [times]`,
          number: true,
        })),
      ]),
    ],
    rows: () =>
      rows.map(({ name, message_bytes, cells }) => ({
        key: name,
        cells: [
          name,
          ...columns.flatMap((column, place) => {
            const cell = cells[place] ?? null;
            const text = cell === null ? "none" : cellText(cell, column);
            if (column.unit !== "times") return [text];
            return [text, ...[cell?.low, cell?.high].map((end) => (end == null ? "none" : end.toFixed(3)))];
          }),
        ],
        csv: [
          message_bytes ?? name,
          ...columns.flatMap((column, place) => {
            const cell = cells[place] ?? null;
            return [
              cell?.value ?? null,
              ...(column.unit === "times" ? [cell?.low ?? null, cell?.high ?? null] : []),
            ];
          }),
        ],
      })),
  };
}
