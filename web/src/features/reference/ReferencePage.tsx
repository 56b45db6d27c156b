/** Published figures, with our own measurements in separate columns. */
import { useSuspenseQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { foundSeriesQuery, machinesQuery, referencesQuery } from "@/api/queries";
import type { Reference, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { type ChartTable, DataTable, tableOf, word } from "@/components/chart/DataTable";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { lineStyle } from "@/components/chart/lines";
import { LATENCY } from "@/components/chart/measure";
import { ScalingChart } from "@/components/chart/ScalingChart";
import { SweepChart, type SweepLine } from "@/components/chart/SweepChart";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { CommandLine, Facts, Sentences } from "@/components/ui/text";
import { ascending, distinct } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { docsHref, toPoint, toWorked } from "@/lib/paths";
import { slugOf, slugsOf } from "@/lib/search";
import { resultArguments } from "@/lib/site";
import { counted, formatDividedNs } from "@/lib/units";
import {
  cellText,
  publishedRows,
  publishedScaling,
  publishedSizes,
  rowsOfSet,
  type ShownTable,
  setsOf,
  shownTable,
} from "./data";
import {
  type OwnColumn,
  ownColumns,
  ownFigure,
  PROTOCOLS,
  type Protocol,
  type PublishedRow,
  protocolOf,
} from "./ours";

type ReferenceSearch = { set: string };

const route = getRouteApi("/$project/reference");

export function ReferencePage() {
  const { project } = route.useParams();
  const { data } = useSuspenseQuery(referencesQuery);
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const found = useSuspenseQueries({
    queries: PROTOCOLS.map((protocol) => ownSeriesQuery(project, protocol)),
  });
  useTitle(`Reference of ${project}`);
  const publications = data.references.map((reference) => {
    const protocol = protocolOf(reference);
    const place = PROTOCOLS.findIndex(({ slug }) => slug === reference.slug);
    const series = found[place]?.data.series ?? [];
    const own = protocol === null ? [] : ownColumns(protocol, publishedRows(reference), series);
    return { reference, protocol, series, own };
  });
  const measured = publications.filter(({ own }) => own.length > 0);
  return (
    <>
      <header>
        <h1>{headline(publications.length, measured.length)}</h1>
        <p className="lede">
          Columns marked “here” are ours. Machines, systems and programs differ: compare within a column, not
          across.
        </p>
        <ul className="plain-list contents">
          {publications.map(({ reference: { slug, title, question } }) => (
            <li key={slug}>
              <Link to="." search hash={slug}>
                {title}
              </Link>
              : <Link {...toWorked(project, slug)}>{question}</Link>
            </li>
          ))}
        </ul>
      </header>
      {publications.map((publication) => (
        <Publication
          key={publication.reference.slug}
          project={project}
          systems={machines.map(({ os }) => os)}
          {...publication}
        />
      ))}
    </>
  );
}

function headline(all: number, measured: number): string {
  if (all === 0) return "No publications";
  const of = counted(all, "publication");
  if (measured === 0) return `${of}, none measured here yet`;
  return `${of}, ${measured === all ? "all" : measured} measured here, at least in part`;
}

type Props = {
  project: string;
  reference: Reference;
  protocol: Protocol | null;
  series: SeriesSummary[];
  own: OwnColumn[];
  systems: string[];
};

/** One publication: summary, reasons why it is not comparable, methodology, and its table with our columns. */
function Publication({ project, reference, protocol, series, own, systems }: Props) {
  const { slug, title, question, source, summary, methodology, not_comparable_because, rows, statements } =
    reference;
  return (
    <section className="section publication" id={slug} aria-labelledby={`${slug}-title`}>
      <h2 id={`${slug}-title`}>{title}</h2>
      <p className="publication-summary">{summary}</p>
      <p className="section-note">Source: {source}.</p>
      <p>
        <Link {...toWorked(project, slug)}>{question}</Link>
      </p>
      <div className="columns subsection">
        <div>
          <h3>Not comparable because</h3>
          <Sentences of={reasonsOf(not_comparable_because, protocol, systems)} />
        </div>
        <div>
          <h3>Published methodology</h3>
          <Facts facts={methodology} wide />
        </div>
      </div>
      {statements.length > 0 && (
        <>
          <h3>Statements</h3>
          <Sentences of={statements} />
        </>
      )}
      {rows.length > 0 && (
        <PublishedFrame reference={reference} protocol={protocol} series={series} own={own} />
      )}
      {protocol !== null && (
        <HowToMeasure protocol={protocol} isMeasured={own.length > 0} hasTable={rows.length > 0} />
      )}
    </section>
  );
}

type HowToMeasureProps = { protocol: Protocol; isMeasured: boolean; hasTable: boolean };

function HowToMeasure({ protocol: { preset, document }, isMeasured, hasTable }: HowToMeasureProps) {
  return (
    <>
      <p className="section-note">
        {isMeasured
          ? "To measure more:"
          : hasTable
            ? "Not measured here. In a clone:"
            : "No comparable figures published. In a clone:"}
      </p>
      <CommandLine command={`roundtrip run --preset ${preset} ${resultArguments()}`} />
      <p className="section-note">
        <a href={docsHref(document)}>Our findings</a>
      </p>
    </>
  );
}

/** The reasons; also whether no machine runs the publication's operating system. */
function reasonsOf(reasons: string[], protocol: Protocol | null, systems: string[]): string[] {
  const os = protocol?.os ?? null;
  if (os === null || systems.includes(os.slug)) return reasons;
  return [`No machine of this project runs ${os.name}.`, ...reasons];
}

/** A publication's table with our columns, and charts for some; ours are in charts of their own. */
function PublishedFrame({ reference, protocol, series, own }: Omit<Props, "project" | "systems">) {
  const { set: asked } = route.useSearch();
  const change = useSearchChange<ReferenceSearch>();
  const sets = setsOf(reference);
  const set = sets.find((value) => value === asked) ?? sets[0];
  const rows = rowsOfSet(reference, set);
  const shown = shownTable(reference, rows);
  const columns = set === undefined || protocol === null ? own : ownColumns(protocol, rows, series);
  const fileName = [reference.slug, ...(set === undefined ? [] : [set])].join("-");
  const table = referenceTable(fileName, shown, protocol, columns);
  const names = reference.columns.map(({ name }) => name);
  const title = `${columns.length > 0 ? "Published figures and ours" : "Published figures"}: ${reference.title}`;
  return (
    <ChartFrame
      name={reference.slug}
      title={title}
      summary={columns.length > 0 ? "“Here”: ours." : "As published."}
      table={table}
      controls={
        set !== undefined && (
          <Segmented
            label="Table set"
            options={optionsOf(sets)}
            value={set}
            onChange={(value) => change({ set: value })}
          />
        )
      }
    >
      {names.includes("p98_us") && <SizePanels rows={rows} protocol={protocol} own={columns} />}
      {names.includes("topology") && <ScalingPanels rows={rows} />}
      <DataTable title={title} table={table} />
    </ChartFrame>
  );
}

/** Published times by number of members: a panel for each topology, with the same axes. */
function ScalingPanels({ rows }: { rows: PublishedRow[] }) {
  const { hidden } = route.useSearch();
  const { pointed, onPoint, onToggle } = useLineChoice(hidden);
  const panels = distinct(rows.map(({ topology }) => String(topology))).map((topology) => ({
    topology,
    lines: publishedScaling(rows, topology),
  }));
  const names = distinct(panels.flatMap(({ lines }) => lines.map(({ label }) => label)));
  const points = panels.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const isShown = (label: string) => !slugsOf(hidden).includes(slugOf(label));
  return (
    <CrosshairScope>
      <p className="chart-summary">Time per message; per attempt: see the table.</p>
      <LineChoice
        label="Published lines"
        lines={names.map((label, look) => ({
          key: slugOf(label),
          label,
          style: lineStyle(look),
          isShown: isShown(label),
        }))}
        onToggle={onToggle}
        onPoint={onPoint}
      />
      <div className="multiples">
        {panels.map(({ topology, lines }) => (
          <figure key={topology}>
            <figcaption className="chart-summary">{topology}, by N</figcaption>
            <ScalingChart
              name={`Published time per message, ${topology}`}
              lines={lines
                .filter(({ label }) => isShown(label))
                .map((line) => ({ key: slugOf(line.label), look: names.indexOf(line.label), ...line }))}
              members={distinct(points.map(({ members }) => members)).sort(ascending)}
              times_ns={points.map(({ time_ns }) => time_ns)}
              flat_ns={null}
              noun="members"
              emphasised={pointed}
            />
          </figure>
        ))}
      </div>
    </CrosshairScope>
  );
}

type SizePanelsProps = { rows: PublishedRow[]; protocol: Protocol | null; own: OwnColumn[] };

/** Published times by message size, and ours with the same axes. */
function SizePanels({ rows, protocol, own }: SizePanelsProps) {
  const published = publishedSizes(rows).map(
    ({ label, points }): SweepLine => ({ key: label, label, current: false, points }),
  );
  const ours = protocol === null ? [] : own.map((column) => ownLine(protocol, column));
  const points = [...published, ...ours].flatMap((line) => line.points);
  const axes = {
    measure: LATENCY,
    sizes: distinct(points.map(({ message_bytes }) => message_bytes)),
    values: points.map(({ value }) => value),
  };
  return (
    <CrosshairScope>
      <div className="multiples">
        <figure>
          <figcaption className="chart-summary">Published: p98, one way</figcaption>
          <SweepChart name="Published p98 by message size" lines={published} {...axes} />
        </figure>
        <figure>
          <figcaption className="chart-summary">
            {ours.length === 0 ? "Here: not measured" : `Here: ${protocol?.figure}`}
          </figcaption>
          {ours.length > 0 && <SweepChart name="Our p98 by message size" lines={ours} {...axes} />}
        </figure>
      </div>
    </CrosshairScope>
  );
}

function ownLine(protocol: Protocol, column: OwnColumn): SweepLine {
  const { key, machine, transport, series } = column;
  return {
    key,
    label: `${transport}, ${machine}${atText(column)}`,
    current: false,
    points: series
      .flatMap((entry) => {
        const value = protocol.figureOf(entry);
        const apart = entry.latest?.lossy === true ? ("lossy" as const) : null;
        return value === null ? [] : [{ message_bytes: entry.case.message_bytes, value, apart }];
      })
      .sort((a, b) => ascending(a.message_bytes, b.message_bytes)),
  };
}

/** More than any of these presets has, on several machines. */
const SERIES_MAX = 1000;

const ownSeriesQuery = (project: string, { asked }: Protocol) =>
  foundSeriesQuery(project, { ...asked, limit: SERIES_MAX });

function referenceTable(
  fileName: string,
  { columns, rows }: ShownTable,
  protocol: Protocol | null,
  own: OwnColumn[],
): ChartTable {
  type Row = ShownTable["rows"][number];
  const figureOf = (column: OwnColumn, { of }: Row) =>
    protocol === null ? null : ownFigure(protocol, column, of);
  return tableOf(fileName, () => rows, [
    ...columns.map(({ key, label, isNumber, unit }, place) => ({
      ...word<Row>(
        label,
        unit === null ? key : `${key} [${unit}]`,
        ({ cells }) => cells[place] ?? null,
        ({ cells }) => publishedCell(cells[place] ?? null, unit),
      ),
      number: isNumber,
    })),
    ...own.map((column) => ({
      ...word<Row>(
        `here: ${column.transport}, ${protocol?.figure}, ${column.machine}${atText(column)}`,
        `here_${column.machine}_${column.transport}_ns`,
        (row) => figureOf(column, row)?.time_ns ?? null,
        (row) => ownCell(figureOf(column, row), column),
      ),
      number: true,
    })),
  ]);
}

const atText = ({ commit }: OwnColumn) => (commit === null ? "" : ` at ${shortSha(commit)}`);

function publishedCell(cell: string | number | null, unit: Parameters<typeof cellText>[1]): ReactNode {
  const text = cellText(cell, unit);
  return cell === null ? <span className="muted">{text}</span> : text;
}

function ownCell(figure: ReturnType<typeof ownFigure>, column: OwnColumn): ReactNode {
  if (figure === null) return <span className="muted">not measured</span>;
  const { series, time_ns } = figure;
  const { latest } = series;
  const text = formatDividedNs(time_ns);
  if (latest == null) return text;
  return (
    <>
      <Link {...toPoint(series.project, series.series_id, latest.run_id)}>{text}</Link>
      {column.commit === null && <span className="muted"> {shortSha(latest.commit_sha)}</span>}
      {latest.lossy && <span className="warning"> lossy</span>}
    </>
  );
}
