/** Formatted times, names, facts and sentences. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { projectQuery } from "@/api/queries";
import type { AgentState } from "@/lib/agents";
import { shortSha } from "@/lib/commits";
import { useNow } from "@/lib/hooks";
import { NOT_STATED } from "@/lib/imports";
import { toCommit } from "@/lib/paths";
import { type Repository, repositoryOf } from "@/lib/repository";
import { formatAgo, formatMoment } from "@/lib/time";
import {
  counted,
  type Quantity,
  quantityOf,
  quantityOfDividedNs,
  quantityOfNs,
  type Valued,
} from "@/lib/units";
import { CopyButton } from "./controls";

export function Ago({ moment }: { moment: string }) {
  const now = useNow();
  return (
    <time dateTime={moment} title={formatMoment(moment)}>
      {formatAgo(moment, now)}
    </time>
  );
}

/** Links to the host of the page's project. Its route loads the project. */
export function useRepository(): Repository | null {
  const { project = "" } = useParams({ strict: false });
  const { data } = useQuery({ ...projectQuery(project), enabled: false });
  return data === undefined ? null : repositoryOf(data);
}

type HostLinkProps = {
  name: string;
  to: (repository: Repository) => string | null;
  /** Shown before the mark. */
  children?: ReactNode;
};

/** A mark that opens something at the repository's host; nothing for an unknown host. */
export function HostLink({ name, to, children }: HostLinkProps) {
  const repository = useRepository();
  const href = repository && to(repository);
  if (href === null) return null;
  const label = `${name} on ${repository?.host}`;
  return (
    <a className="host-link" href={href} target="_blank" rel="noreferrer" title={label}>
      {children}
      <svg viewBox="0 0 12 12" width="10" height="10" role="img" aria-label={label}>
        <path d="M4.5 1.5h-3v9h9v-3M7 1.5h3.5V5M10.5 1.5 5.5 6.5" fill="none" stroke="currentColor" />
      </svg>
    </a>
  );
}

/** A short SHA without links, for text within a link. */
export function ShortSha({ sha }: { sha: string }) {
  return <code title={sha}>{shortSha(sha)}</code>;
}

type CommitNameProps = { commit: { sha: string; subject?: string }; subject?: boolean };

/** A commit by its short SHA, linked to its page and its host, optionally with its subject. */
export function CommitName({ commit: { sha, subject: text }, subject = false }: CommitNameProps) {
  const { project } = useParams({ strict: false });
  return (
    <>
      <span className="unbroken">
        {project === undefined ? (
          <ShortSha sha={sha} />
        ) : (
          <Link {...toCommit(project, sha)}>
            <ShortSha sha={sha} />
          </Link>
        )}
        <HostLink name={shortSha(sha)} to={(repository) => repository.commit(sha)} />
      </span>
      {subject && <> {text}</>}
    </>
  );
}

type CommitRangeProps = Record<"after" | "until", { sha: string; ordinal: number }>;

/** The commits after one, up to another: only the last if they follow each other. */
export function CommitRange({ after, until }: CommitRangeProps) {
  const count = until.ordinal - after.ordinal;
  if (count <= 1) return <CommitName commit={until} />;
  return (
    <>
      <CommitName commit={after} />
      ..
      <CommitName commit={until} /> ({counted(count, "commit")})
    </>
  );
}

/** The author of a commit, linked to their commits at the host. */
export function AuthorName({ name }: { name: string }) {
  return (
    <>
      {name}
      <HostLink name={`Commits by ${name}`} to={({ author }) => author(name)} />
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
      <CopyButton label="Copy" content={() => command} />
    </div>
  );
}
