/**
 * A sweep's answer as the lines that pages draw: what was asked of all of them in the same way, what each is called,
 * and which of its points may be set beside others. Pure.
 */
import type { Crossover, Methodology, SweepChart, SweepLine, SweepPoint } from "@/api/types";
import { ascending, distinct, groupBy } from "./collections";
import { distinguishing } from "./methodology";
import { slugOf } from "./search";
import { counted, formatBytesExactly, formatCount } from "./units";

export const FIGURES = ["p50", "p90", "p99", "throughput"] as const;
export type Figure = (typeof FIGURES)[number];

/** What was asked of a line besides its transport. Lines with different loads are never in one picture. */
export type Load = {
  key: string;
  /** In words, what is not usual of it; empty where nothing is. */
  label: string;
  pointCount: number;
};

/** Why a point is not set beside others; `null`: it may be. */
type Apart = "lossy" | "environment" | null;

export type MeasuredPoint = {
  x: number;
  point: SweepPoint;
  place: number;
  apart: Apart;
};

export type MeasuredLine = {
  key: string;
  label: string;
  /** The lines of the answer that it is made of: where only the warm-up differs with the size, more than one. */
  places: number[];
  methodology: Methodology;
  points: MeasuredPoint[];
};

export type Crossing = {
  below: MeasuredLine;
  above: MeasuredLine;
  x: number;
  from: number | null;
  to: number | null;
};

const LOAD_PARAMETERS = [
  "size_profile",
  "message_bytes",
  "total_bytes",
  "messages",
  "senders",
  "peers",
  "rate_per_second",
];
const TOLD_ELSEWHERE = [...LOAD_PARAMETERS, "mode", "placement", "scenario", "transport"];

/** The loads of a sweep: the one with the most points first. */
export function loadsOf({ lines, over }: Pick<SweepChart, "lines" | "over">): Load[] {
  return [...groupBy(lines, (line) => loadKey(line, over)).entries()]
    .flatMap(([key, [first, ...others]]) => {
      if (first === undefined) return [];
      const pointCount = [first, ...others].reduce((sum, { points }) => sum + points.length, 0);
      return [{ key, label: loadName(first, over), pointCount }];
    })
    .sort((a, b) => ascending(b.pointCount, a.pointCount) || ascending(a.key, b.key));
}

/** The lines of one load, in the order of the answer. */
export function linesOf({ lines, over }: Pick<SweepChart, "lines" | "over">, load: string): MeasuredLine[] {
  const placed = lines.flatMap((line, place) => (loadKey(line, over) === load ? [{ line, place }] : []));
  const environment = newestEnvironment(placed.map(({ line }) => line));
  const groups = [...groupBy(placed, ({ line }) => sameButWarmUp(line)).values()].flatMap((group) =>
    isDisjoint(group.map(({ line }) => line)) ? [group] : group.map((entry) => [entry]),
  );
  const named = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const siblings = groups.flatMap(([other]) =>
      other !== undefined && other.line.transport.slug === first.line.transport.slug ? [other.line] : [],
    );
    const points = group.flatMap(({ line, place }) =>
      line.points.map(
        (point) =>
          ({
            x: point.x,
            point,
            place,
            apart: point.lossy ? "lossy" : point.environment_id === environment ? null : "environment",
          }) satisfies MeasuredPoint,
      ),
    );
    return [
      {
        label: [first.line.transport.slug, ...traitsOf(first.line, siblings)].join(", "),
        places: group.map(({ place }) => place),
        methodology: first.line.methodology,
        points: points.sort((a, b) => ascending(a.x, b.x)),
      },
    ];
  });
  return withKeys(named);
}

/** What a point says in one figure; `null` where it has none. */
export function figureOf({ point }: Pick<MeasuredPoint, "point">, figure: Figure): number | null {
  return figure === "throughput" ? point.bytes_per_second : point.latency_ns[figure];
}

export function figuresOf(lines: MeasuredLine[]): Figure[] {
  const hasRate = lines.some(({ points }) => points.some(({ point }) => point.bytes_per_second !== null));
  return FIGURES.filter((figure) => figure !== "throughput" || hasRate);
}

/** Where two of some lines cross, by size. What is the same line crosses itself nowhere. */
export function crossingsOf(crossovers: Crossover[], lines: MeasuredLine[]): Crossing[] {
  const lineAt = (place: number) => lines.find(({ places }) => places.includes(place));
  return crossovers
    .flatMap(({ below, above, x, from, to }) => {
      const [faster, slower] = [lineAt(below), lineAt(above)];
      if (faster === undefined || slower === undefined || faster === slower) return [];
      return [{ below: faster, above: slower, x, from, to }];
    })
    .sort((a, b) => ascending(a.x, b.x));
}

/** Every value of the swept parameter at which any of the lines was measured, ascending. */
export function positionsOf(lines: MeasuredLine[]): number[] {
  return distinct(lines.flatMap(({ points }) => points.map(({ x }) => x))).sort(ascending);
}

/** A parameter of lines in words: `1 MiB in all`, `64 KiB buffer`. */
export function parameterName(name: string, value: string): string {
  const times = /^(\d+) x /.exec(value)?.[1];
  const number = Number(value);
  switch (name) {
    case "total_bytes":
      if (times === "1") return "one message a transfer";
      return times === undefined ? `${formatBytesExactly(number)} in all` : `${times} messages a transfer`;
    case "buffer_bytes":
      if (times === "1") return "a buffer of the message’s size";
      return times === undefined ? `${formatBytesExactly(number)} buffer` : `a buffer of ${times} messages`;
    case "size_profile":
      return `sizes drawn from ${value}`;
    case "message_bytes":
      return `${formatBytesExactly(number)} messages`;
    case "messages":
      return counted(number, "message");
    case "rate_per_second":
      return `${formatCount(number)}/s`;
    case "senders":
      return times === undefined ? counted(number, "sender") : "as many senders as receivers";
    case "peers":
      return times === undefined ? counted(number, "receiver") : "as many receivers as senders";
    case "variant":
      return value;
    default:
      return `${name.replaceAll("_", " ")} ${value}`;
  }
}

function withKeys<Line extends { label: string }>(lines: Line[]): (Line & { key: string })[] {
  const taken = new Map<string, number>();
  return lines.map((line) => {
    const slug = slugOf(line.label);
    const count = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, count);
    // Nothing should be called the same; if it is, it still has an address of its own.
    return { ...line, key: count === 1 ? slug : `${slug}-${count}` };
  });
}

function loadKey({ parameters, methodology }: SweepLine, over: SweepChart["over"]): string {
  const parts = LOAD_PARAMETERS.filter((name) => name !== over && !isUsual(name, parameters[name], over)).map(
    (name) => `${name}-${parameters[name]}`,
  );
  return slugOf(
    [
      ...parts,
      ...(methodology.window === 1 ? [] : [`window-${methodology.window}`]),
      ...(methodology.probe == null ? [] : [`probe-${methodology.probe}`]),
    ].join("-") || "usual",
  );
}

function loadName({ parameters, methodology }: SweepLine, over: SweepChart["over"]): string {
  return [
    ...LOAD_PARAMETERS.flatMap((name) => {
      const value = parameters[name];
      // With drawn sizes, that of a message is the largest of them.
      const isSaid = name === over || (name === "message_bytes" && parameters.size_profile !== undefined);
      return value === undefined || isSaid || isUsual(name, value, over) ? [] : [parameterName(name, value)];
    }),
    ...(methodology.window === 1 ? [] : [`${formatCount(methodology.window)} in flight`]),
    ...(methodology.probe == null ? [] : [`watched by the probe ${methodology.probe}`]),
  ].join(", ");
}

/** One sender and one receiver; and as many of both, which is another scenario and not another load. */
function isUsual(name: string, value: string | undefined, over: SweepChart["over"]): boolean {
  const isEnd = name === "senders" || name === "peers";
  return value === undefined || (isEnd && (value === "1" || value.endsWith(` x ${over}`)));
}

function traitsOf(line: SweepLine, siblings: SweepLine[]): string[] {
  const others = siblings.filter((other) => other !== line);
  const names = distinct(siblings.flatMap(({ parameters }) => Object.keys(parameters))).filter(
    (name) =>
      !TOLD_ELSEWHERE.includes(name) &&
      others.some(({ parameters }) => parameters[name] !== line.parameters[name]),
  );
  return [
    ...names.sort().flatMap((name) => {
      const value = line.parameters[name];
      return value === undefined ? [] : [parameterName(name, value)];
    }),
    ...distinguishing(
      line.methodology,
      others.map(({ methodology }) => methodology),
    ),
  ];
}

function sameButWarmUp({ transport, parameters, methodology }: SweepLine): string {
  const facts = { ...parameters, ...methodology, warmup: "" };
  return JSON.stringify([transport.slug, Object.entries(facts).sort(([a], [b]) => ascending(a, b))]);
}

function isDisjoint(lines: SweepLine[]): boolean {
  const all = lines.flatMap(({ points }) => points.map(({ x }) => x));
  return new Set(all).size === all.length;
}

/** The environment of the newest commit's points: what was measured in another one is not compared with them. */
function newestEnvironment(lines: SweepLine[]): number | null {
  const points = lines.flatMap((line) => line.points);
  const newest = points.reduce<SweepPoint | null>(
    (found, point) => (found === null || point.commit_ordinal > found.commit_ordinal ? point : found),
    null,
  );
  return newest?.environment_id ?? null;
}
