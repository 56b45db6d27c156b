/** Turns a sweep into chart lines: their load, their names and which points are comparable. Pure. */
import type { Crossover, SweepChart, SweepLine, SweepPoint } from "@/api/types";
import { parameterName } from "./cases";
import { ascending, distinct, groupBy } from "./collections";
import { distinguishing } from "./methodology";
import { slugOf } from "./search";
import { formatCount } from "./units";

export const FIGURES = ["p50", "p90", "p99", "throughput"] as const;
export type Figure = (typeof FIGURES)[number];

/** The load of a line. Lines with different loads are never in one chart. */
export type Load = {
  key: string;
  /** Its parameters that are not defaults; may be empty. */
  label: string;
  pointCount: number;
};

/** Why a point is not comparable; `null`: it is. */
type Apart = "lossy" | "environment" | null;

/** Values of the column `Comparable` for points that are not. */
export const NOT_COMPARABLE = { lossy: "no: lossy", environment: "no: other environment" };

export type MeasuredPoint = {
  x: number;
  point: SweepPoint;
  place: number;
  apart: Apart;
};

export type MeasuredLine = {
  key: string;
  label: string;
  /** The kind of mechanism, such as `socket`. */
  family: string;
  /** How its ends wait: `block`, `spin`, `spin-then-block`. */
  receive: string;
  /** Indices of its lines in the response: several if only the warm-up differs by size. */
  places: number[];
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
const NAMED_ELSEWHERE = [...LOAD_PARAMETERS, "mode", "placement", "scenario", "transport"];

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

/** The lines of one load, in the order of the response. */
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
        family: first.line.transport.family,
        receive: first.line.methodology.receive,
        places: group.map(({ place }) => place),
        points: points.sort((a, b) => ascending(a.x, b.x)),
      },
    ];
  });
  return withKeys(named);
}

/** A figure of a point; `null` if missing. */
export function figureOf({ point }: Pick<MeasuredPoint, "point">, figure: Figure): number | null {
  return figure === "throughput" ? point.bytes_per_second : point.latency_ns[figure];
}

export function figuresOf(lines: MeasuredLine[]): Figure[] {
  const hasRate = lines.some(({ points }) => points.some(({ point }) => point.bytes_per_second !== null));
  return FIGURES.filter((figure) => figure !== "throughput" || hasRate);
}

/** The crossovers between these lines, by size. A line does not cross itself. */
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

/** All measured values of the swept parameter, ascending. */
export function positionsOf(lines: MeasuredLine[]): number[] {
  return distinct(lines.flatMap(({ points }) => points.map(({ x }) => x))).sort(ascending);
}

function withKeys<Line extends { label: string }>(lines: Line[]): (Line & { key: string })[] {
  const taken = new Map<string, number>();
  return lines.map((line) => {
    const slug = slugOf(line.label);
    const count = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, count);
    // Labels should be unique; duplicates still get a unique key.
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
      // With a size profile, message_bytes is only the largest size.
      const isImplied = name === over || (name === "message_bytes" && parameters.size_profile !== undefined);
      return value === undefined || isImplied || isUsual(name, value, over)
        ? []
        : [parameterName(name, value)];
    }),
    ...(methodology.window === 1 ? [] : [`window ${formatCount(methodology.window)}`]),
    ...(methodology.probe == null ? [] : [`probe ${methodology.probe}`]),
  ].join(", ");
}

/** Defaults: one sender and one receiver, or as many senders as receivers, which is another scenario. */
function isUsual(name: string, value: string | undefined, over: SweepChart["over"]): boolean {
  const isEnd = name === "senders" || name === "peers";
  return value === undefined || (isEnd && (value === "1" || value.endsWith(` x ${over}`)));
}

function traitsOf(line: SweepLine, siblings: SweepLine[]): string[] {
  const others = siblings.filter((other) => other !== line);
  const names = distinct(siblings.flatMap(({ parameters }) => Object.keys(parameters))).filter(
    (name) =>
      !NAMED_ELSEWHERE.includes(name) &&
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

/** The environment of the newest commit: points of other environments are not comparable. */
function newestEnvironment(lines: SweepLine[]): number | null {
  const points = lines.flatMap((line) => line.points);
  const newest = points.reduce<SweepPoint | null>(
    (found, point) => (found === null || point.commit_ordinal > found.commit_ordinal ? point : found),
    null,
  );
  return newest?.environment_id ?? null;
}
