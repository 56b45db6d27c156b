/** Formatted times, names, facts and sentences. */
import { Fragment, type ReactNode } from "react";
import type { CommitSummary } from "@/api/types";
import type { AgentState } from "@/lib/agents";
import { shortSha } from "@/lib/commits";
import { useNow } from "@/lib/hooks";
import { NOT_STATED } from "@/lib/imports";
import { formatAgo, formatMoment } from "@/lib/time";
import { type Quantity, quantityOf, quantityOfDividedNs, quantityOfNs, type Valued } from "@/lib/units";
import { CopyButton } from "./controls";

export function Ago({ moment }: { moment: string }) {
  const now = useNow();
  return (
    <time dateTime={moment} title={formatMoment(moment)}>
      {formatAgo(moment, now)}
    </time>
  );
}

type Props = { commit: CommitSummary; subject?: boolean };

/** A commit by its short SHA, optionally with its subject. */
export function CommitName({ commit, subject = false }: Props) {
  return (
    <>
      <code title={commit.sha}>{shortSha(commit.sha)}</code>
      {subject && <> {commit.subject}</>}
    </>
  );
}

type QuantityTextProps = { quantity: Quantity; plain?: boolean };

export function QuantityText({ quantity, plain = false }: QuantityTextProps) {
  return (
    <span className={plain ? "quantity quantity-plain" : "quantity"}>
      {quantity.value} <span>{quantity.unit}</span>
    </span>
  );
}

type ValueTextProps = { stored: number; of: Valued; plain?: boolean };

/** A stored value of a case: a time, or a value of its measure. */
export function ValueText({ stored, of, plain = false }: ValueTextProps) {
  return <QuantityText plain={plain} quantity={quantityOf(stored, of)} />;
}

type TimeTextProps = { ns: number; isDivided?: boolean; plain?: boolean };

/** A time in nanoseconds; a divided one keeps three digits. */
export function TimeText({ ns, isDivided = false, plain = false }: TimeTextProps) {
  return <QuantityText plain={plain} quantity={isDivided ? quantityOfDividedNs(ns) : quantityOfNs(ns)} />;
}

/** A sentence in which backticks mark names of code. */
export function Quoted({ text }: { text: string }) {
  const parts = text.split("`").map((part, place) => ({ part, place }));
  return parts.map(({ part, place }) =>
    place % 2 === 1 ? <code key={place}>{part}</code> : <Fragment key={place}>{part}</Fragment>,
  );
}

/** A sentence without line breaks within hyphenated names. */
export function Unbroken({ text }: { text: string }) {
  const parts = text.split(/(\w+(?:-\w+)+)/).map((part, place) => ({ part, place }));
  return parts.map(({ part, place }) =>
    // Every other part is a name.
    place % 2 === 1 ? (
      <span key={place} className="unbroken">
        {part}
      </span>
    ) : (
      <Fragment key={place}>{part}</Fragment>
    ),
  );
}

/** A state with a shape, so that it does not depend on colour, and its reason. */
export function StateMark({ state: { word, shape, because } }: { state: AgentState }) {
  const isBad = shape === "alarm" || shape === "cross";
  return (
    <span className={isBad ? "state-mark warning" : "state-mark"}>
      <span className={`shape shape-${shape}`} aria-hidden="true" />
      <span>
        {word}
        {because !== null && (
          <>
            : <span className={isBad ? "because" : "because muted"}>{because}</span>
          </>
        )}
      </span>
    </span>
  );
}

/** Shown if an imported file has no value. */
export function NotStated() {
  return <span className="muted">{NOT_STATED}</span>;
}

/** Warnings, one per line. */
export function Warnings({ texts }: { texts: string[] }) {
  return texts.map((text) => (
    <p key={text} className="lede warning">
      {text}
    </p>
  ));
}

/** One pair. */
export type Fact = { name: string; value: ReactNode };

type FactsProps = {
  /** `false` is skipped. */
  facts: (Fact | false)[];
  /** Long values read better from the left. */
  wide?: boolean;
};

export function Facts({ facts, wide = false }: FactsProps) {
  return (
    <dl className={wide ? "facts facts-wide" : "facts"}>
      {facts
        .filter((fact) => fact !== false)
        .map(({ name, value }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

export function Sentences({ of, className = "reasons" }: { of: readonly string[]; className?: string }) {
  return (
    <ul className={className}>
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="command">
      <code>{command}</code>
      <CopyButton label="Copy" text={() => command} />
    </div>
  );
}
