/**
 * What every chart has around it: a title, one sentence that says what it shows, the same data as a table and as
 * CSV, its picture, a short link to exactly this, the code that embeds it elsewhere, and what stands here while data is
 * on its way or when it failed.
 */
import { type ReactNode, type RefObject, useId, useRef } from "react";
import { CopyButton, CopyLink } from "@/components/ui/controls";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { type ChartTable, DataTable, saveCsv } from "./DataTable";
import { savePng, saveSvg } from "./picture";
import { useFrame } from "./useFrame";

export type { ChartTable } from "./DataTable";

/** What is on its way, or why it failed. */
export type Pending = { error: Error | null; onRetry: () => void };

type Props = {
  /** What the address calls it, once a page: `trend`. */
  name: string;
  title: string;
  summary: ReactNode;
  table: ChartTable | null;
  /** What can be chosen about this chart alone. */
  controls?: ReactNode;
  /** Loading or failed data; absent when it is there. */
  pending?: Pending | undefined;
  children: ReactNode;
};

export function ChartFrame({ name, title, summary, table, controls, pending, children }: Props) {
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  const { isTable, isEmbedded, setTable } = useFrame(name);
  return (
    <section
      className="section"
      aria-labelledby={id}
      {...(isEmbedded ? { "data-embedded": "" } : {})}
      data-chart={name}
    >
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {table !== null && pending === undefined && (
          <FrameTools
            name={name}
            title={title}
            isTable={isTable}
            onTableChange={setTable}
            csv={
              table.csvHref === undefined
                ? () => saveCsv(table)
                : { href: table.csvHref, fileName: `${table.fileName}.csv` }
            }
            picture={!isTable ? { of: body, fileName: table.fileName } : null}
          />
        )}
      </div>
      {pending !== undefined ? (
        <PendingChart {...pending} />
      ) : (
        <>
          <p className="chart-summary">{summary}</p>
          {controls}
          {isTable && table !== null ? (
            <DataTable title={title} table={table} />
          ) : (
            <div ref={body}>{children}</div>
          )}
        </>
      )}
    </section>
  );
}

function PendingChart({ error, onRetry }: Pending) {
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height="16rem" />
    </div>
  );
}

type FrameToolsProps = {
  name: string;
  title: string;
  isTable: boolean;
  onTableChange: (isTable: boolean) => void;
  /** How the table is kept, or where it is. */
  csv: (() => void) | { href: string; fileName: string };
  /** What is drawn; `null` where nothing is. */
  picture: { of: RefObject<HTMLElement | null>; fileName: string } | null;
};

const EMBEDDED_HEIGHT_PX = 460;

/** What can be done with a chart besides looking at it. */
function FrameTools({ name, title, isTable, onTableChange, csv, picture }: FrameToolsProps) {
  const save = (how: typeof savePng) => {
    const element = picture?.of.current;
    if (element != null && picture !== null) void how(element, title, picture.fileName);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend and a frame of its own.
    <div className="tools" role="group" aria-label={`${title}: as`}>
      <button
        type="button"
        className="text-button"
        aria-pressed={isTable}
        onClick={() => onTableChange(!isTable)}
      >
        Table
      </button>
      {typeof csv === "function" ? (
        <button type="button" className="text-button" onClick={csv}>
          CSV
        </button>
      ) : (
        <a className="text-button" href={csv.href} download={csv.fileName}>
          CSV
        </a>
      )}
      {picture !== null && (
        <>
          <button type="button" className="text-button" onClick={() => save(savePng)}>
            PNG
          </button>
          <button type="button" className="text-button" onClick={() => save(saveSvg)}>
            SVG
          </button>
        </>
      )}
      <CopyLink label="Link" part={name} />
      <CopyButton label="Embed" text={() => frameCode(name, title)} />
    </div>
  );
}

/** The code that shows this chart alone on a page of somebody else. */
function frameCode(name: string, title: string): string {
  const url = new URL(window.location.href);
  url.hash = "";
  url.searchParams.set("embed", name);
  const quoted = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${quoted(url.href)}" title="${quoted(title)}" width="100%" height="${EMBEDDED_HEIGHT_PX}" style="border: 0"></iframe>`;
}
