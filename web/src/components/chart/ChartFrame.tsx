/**
 * The frame of every chart: title, summary, table and CSV, picture, link and embed code; loading and error states.
 */
import { type ReactNode, useId, useRef } from "react";
import { CopyButton, CopyLink, TextButton } from "@/components/ui/controls";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { usePainted } from "@/lib/hooks";
import { applicationRoot, pagePath, shownPath, withParameter } from "@/lib/site";
import { type ChartTable, DataTable, saveCsv } from "./DataTable";
import { useFrame } from "./useFrame";
import { useIsNarrow } from "./useIsNarrow";

export type { ChartTable } from "./DataTable";

/** A pending or failed load, and the height that the content will have. */
export type Pending = { error: Error | null; onRetry: () => void; height?: string };

type Props = {
  /** Its name in the address, unique on the page: `trend`. */
  name: string;
  title: string;
  /** The series or place that it shows, for pictures: there is no page around them. */
  subject?: string;
  /** What the chart shows, in sentences. */
  lead?: ReactNode;
  summary: ReactNode;
  table: ChartTable | null;
  controls?: ReactNode;
  /** The names of the lines: above the chart, on narrow screens below it. */
  legend?: ReactNode;
  /** Loading or failed; absent once data is there. */
  pending?: Pending | undefined;
  children: ReactNode;
};

export function ChartFrame({
  name,
  title,
  subject,
  lead,
  summary,
  table,
  controls,
  legend,
  pending,
  children,
}: Props) {
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  const { isTable, isEmbedded, toggleTable } = useFrame(name);
  // The button reacts first; a table or chart takes long to draw on a slow device.
  const isTableDrawn = usePainted(isTable);
  const isLegendBelow = useIsNarrow() && !isTableDrawn;
  const save = async (how: "savePng" | "saveSvg", { fileName }: ChartTable) => {
    const picture = await import("./picture");
    if (body.current !== null) await picture[how](body.current, { title, subject, fileName });
  };
  const picture = async () => {
    const { pngOf } = await import("./picture");
    if (body.current === null) throw new Error("The chart is not shown.");
    return pngOf(body.current, { title, subject });
  };
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
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
          <div className="tools" role="group" aria-label={`${title}: export`}>
            <TextButton aria-pressed={isTable} onClick={toggleTable}>
              Table
            </TextButton>
            {table.csvHref == null ? (
              <TextButton onClick={() => saveCsv(table)}>CSV</TextButton>
            ) : (
              <a className="text-button" href={table.csvHref} download={`${table.fileName}.csv`}>
                CSV
              </a>
            )}
            {!isTable && (
              <>
                <TextButton onClick={() => void save("savePng", table)}>PNG</TextButton>
                <TextButton onClick={() => void save("saveSvg", table)}>SVG</TextButton>
                <CopyButton label="Copy" title="Copy as picture" content={picture} />
              </>
            )}
            <CopyLink label="Link" part={name} />
            <CopyButton label="Embed" content={() => frameCode(name, title)} />
          </div>
        )}
      </div>
      {pending !== undefined ? (
        <PendingChart {...pending} />
      ) : (
        <>
          {lead}
          <p className="chart-summary">{summary}</p>
          {controls}
          {!isLegendBelow && legend}
          {isTableDrawn && table !== null ? (
            <DataTable title={title} table={table} />
          ) : (
            <div ref={body}>{children}</div>
          )}
          {isLegendBelow && legend}
        </>
      )}
    </section>
  );
}

function PendingChart({ error, onRetry, height = "16rem" }: Pending) {
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height={height} />
    </div>
  );
}

const EMBEDDED_HEIGHT_PX = 460;

/** The HTML that embeds this chart in another page. */
function frameCode(name: string, title: string): string {
  const address = withParameter(`${applicationRoot()}${pagePath(shownPath())}`, "embed", name);
  const quoted = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${quoted(address)}" title="${quoted(title)}" width="100%" height="${EMBEDDED_HEIGHT_PX}" style="border: 0"></iframe>`;
}
