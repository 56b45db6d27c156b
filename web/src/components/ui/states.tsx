/** Error, empty and loading states, and page structure. */
import { Children, type ReactNode, useId } from "react";
import { ApiError } from "@/api/errors";
import { isSite, resultArguments } from "@/lib/site";
import { Button } from "./controls";
import { CommandLine, Quoted } from "./text";

type Props = {
  error: Error;
  onRetry: () => void;
  /** A page's only content has the page's heading. */
  heading?: "h1" | "h2";
};

export function ErrorState({ error, onRetry, heading: Heading = "h1" }: Props) {
  const { title, requestId } =
    error instanceof ApiError ? error : { title: "This page failed", requestId: null };
  const isFinal = isSite() && error instanceof ApiError && !error.isTransient;
  return (
    <div className="state" role="alert">
      <Heading>{title}</Heading>
      <p>
        <Quoted text={error.message} />
      </p>
      {requestId !== null && (
        <p className="muted">
          Request ID: <code>{requestId}</code>
        </p>
      )}
      {!isFinal && (
        <p>
          <Button onClick={onRetry}>Try again</Button>
        </p>
      )}
    </div>
  );
}

type NothingMeasuredProps = { title: string; lede: string; command: string };

/** An empty page: what it would show, and the command that adds results. */
export function NothingMeasured({ title, lede, command }: NothingMeasuredProps) {
  return (
    <div className="state">
      <h1>{title}</h1>
      <p className="muted">{lede} To add results, run in a clone of the project:</p>
      <CommandLine command={`${command} ${resultArguments()}`} />
    </div>
  );
}

/** The path to a page, outermost first. */
export function Breadcrumb({ children }: { children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        {Children.map(Children.toArray(children), (place) => (
          <li>{place}</li>
        ))}
      </ol>
    </nav>
  );
}

type SkeletonProps = { width?: string; height?: string };

/** A placeholder in roughly the size of the content that is loading. */
export function Skeleton({ width = "100%", height = "1.25rem" }: SkeletonProps) {
  return <span className="skeleton" style={{ width, height }} />;
}

export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton width="min(36rem, 90%)" height="2rem" />
      <Skeleton width="min(24rem, 70%)" />
      <div className="section">
        <Skeleton height="16rem" />
      </div>
    </div>
  );
}

/** Scrolls wide content horizontally, so that the page does not. Reachable by keyboard. */
export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus the keyboard could not scroll it.
    <section className="scroll" aria-label={`${label}, table`} tabIndex={0}>
      {children}
    </section>
  );
}

type SectionProps = {
  title: string;
  tools?: ReactNode;
  children: ReactNode;
};

export function Section({ title, tools, children }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
