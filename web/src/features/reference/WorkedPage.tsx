/** A publication's question, answered by our measurements: answer, then evidence. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { referencesQuery, workedQuery } from "@/api/queries";
import type { EvidenceCell, EvidenceColumn, EvidenceTable, WorkedMachine } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import type { ForestScale } from "@/components/chart/forest";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { Choice } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { type Head, numeric, Table } from "@/components/ui/Table";
import { CommandLine, Sentences } from "@/components/ui/text";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toAdvisor, toPoint, toReference, toSweep, toTopology } from "@/lib/paths";
import { slugOf } from "@/lib/search";
import { isSite, resultArguments } from "@/lib/site";
import { cellText, csvName, estimateOf, intervalOf, linesOf, markOf, scaleOf, tickText } from "./worked";

const route = getRouteApi("/$project/reference/$reference");

export function WorkedPage() {
  const { project, reference: slug } = route.useParams();
  const { machine: asked } = route.useSearch();
  const change = useSearchChange<{ machine: string }>();
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
        <h1>{answered?.answer ?? "Not measured yet"}</h1>
        {reference !== undefined && (
          <p className="lede">
            Published: {reference.summary} Source:{" "}
            <Link {...toReference(project)} hash={slug}>
              {reference.title}
            </Link>
            .
          </p>
        )}
      </header>
      {machines.length > 1 && (
        <div className="controls">
          <Choice
            label="Machine"
            values={machines}
            name={(machine) => machine}
            value={answered?.machine ?? ""}
            onChange={(machine) => change({ machine })}
          />
        </div>
      )}
      {answered !== undefined && <Answered project={project} slug={slug} answered={answered} />}
      {reference !== undefined && (
        <Section title="Not comparable because">
          <Sentences of={reference.not_comparable_because} />
        </Section>
      )}
      <Section title="Measure it">
        <CommandLine command={`roundtrip run --preset ${data.preset} ${resultArguments()}`} />
      </Section>
    </>
  );
}

function Further({ project, slug }: { project: string; slug: string }) {
  switch (slug) {
    case "chromium-mach-vs-fifo":
      return isSite() ? null : <Link {...toAdvisor(project)}>Advisor</Link>;
    case "libipc-macos-backends":
      return <Link {...toTopology(project)}>Topology</Link>;
    case "freebsd-pipes-and-sockets":
      return <Link {...toSweep(project)}>Size sweep</Link>;
    default:
      return null;
  }
}

type AnsweredProps = { project: string; slug: string; answered: WorkedMachine };

function Answered({ project, slug, answered: { machine, reasons, tables } }: AnsweredProps) {
  return (
    <>
      <Section title="Evidence">
        <Sentences of={reasons} />
        <p className="section-note">
          <Further project={project} slug={slug} />
        </p>
      </Section>
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

type Props = { project: string; fileName: string; evidence: EvidenceTable };

const ROWS_ARE = { message_bytes: "Message size", transport: "Transport", topology: "Senders and receivers" };

/** Evidence for an answer: a table, and a chart if it has message sizes. */
function Evidence({ project, fileName, evidence }: Props) {
  const { title, columns } = evidence;
  const lines = linesOf(evidence);
  return (
    <ChartFrame
      name={slugOf(title)}
      title={title}
      summary={columns.some(({ unit }) => unit === "times") ? "Ratios with 95 % CI." : ""}
      table={fileOf(fileName, evidence)}
    >
      {lines.length > 0 && (
        <div className="evidence-chart">
          <SweepChart
            name={`${title}, by message size`}
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
    <Table
      label={title}
      className="table table-dense forest"
      heads={[ROWS_ARE[rows_are], ...columns.flatMap((column) => headsOf(column, scale))]}
    >
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
    </Table>
  );
}

/** A ratio has two more columns: its interval and the forest plot. */
function headsOf({ name, unit }: EvidenceColumn, scale: ForestScale | null): Head[] {
  if (unit !== "times") return [numeric(name)];
  const axis = scale !== null && (
    <ForestAxis
      name={`${name}, with 95 % CI, from ${tickText(-scale.limit)} to ${tickText(scale.limit)}`}
      scale={scale}
      label={tickText}
    />
  );
  return [
    numeric(name),
    { name: `${name}: interval`, className: "number", content: "95 % CI" },
    { name: `${name}: axis`, className: "forest-cell", content: axis },
  ];
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

function fileOf(fileName: string, { rows_are, columns, rows }: EvidenceTable): ChartTable {
  type Row = EvidenceTable["rows"][number];
  return tableOf(fileName, () => rows, [
    word<Row>(
      ROWS_ARE[rows_are],
      rows_are,
      ({ message_bytes, name }) => message_bytes ?? name,
      (row) => row.name,
    ),
    ...columns.flatMap((column, place) => [
      num<Row>(
        column.name,
        csvName(column),
        ({ cells }) => cells[place]?.value ?? null,
        (value) => cellText({ value }, column),
        "none",
      ),
      ...(column.unit === "times" ? (["low", "high"] as const) : []).map((end) =>
        num<Row>(
          `${column.name}, ${end}`,
          `${column.name}, ${end} [times]`,
          ({ cells }) => cells[place]?.[end] ?? null,
          (value) => value.toFixed(3),
          "none",
        ),
      ),
    ]),
  ]);
}
