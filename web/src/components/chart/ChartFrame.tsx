/**
 * What every chart has around it: a title, one sentence that says what it shows, the same data as a table and as
 * CSV, its picture, a short link to exactly this, the code that embeds it elsewhere, and what stands here while data is
 * on its way or when it failed.
 */
import { type ReactNode, useId, useRef } from "react";
import { ErrorState } from "@/components/ui/ErrorState";
import { Skeleton } from "@/components/ui/Skeleton";
import { type ChartTable, DataTable, saveCsv } from "./DataTable";
import { FrameTools } from "./FrameTools";
import { useFrame } from "./useFrame";

export type { ChartTable } from "./DataTable";

type Props = {
  /** What the address calls it, once a page: `trend`. */
  name: string;
  title: string;
  summary: ReactNode;
  table: ChartTable | null;
  /** What can be chosen about this chart alone. */
  controls?: ReactNode;
  /** Loading or failed data; absent when it is there. */
  pending?: { error: Error | null; onRetry: () => void };
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
        <Pending {...pending} />
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

function Pending({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height="16rem" />
    </div>
  );
}
