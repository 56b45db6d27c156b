/** Our series that match a publication, and their place in its table. No ratios are computed. Pure. */
import type { SeriesAsked } from "@/api/queries";
import type { Reference, SeriesSummary } from "@/api/types";
import { sendersOf } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { nsPerMessage } from "@/lib/points";

export type PublishedRow = Record<string, string | number | null>;

export type Protocol = {
  /** The name of the publication on the server. */
  slug: string;
  preset: string;
  /** The documentation page about it. */
  document: string;
  /** The operating system of its figures. */
  os: { slug: string; name: string } | null;
  figure: string;
  asked: SeriesAsked;
  /** Whether a series matches a published row. */
  isOf: (series: SeriesSummary, row: PublishedRow) => boolean;
  figureOf: (series: SeriesSummary) => number | null;
};

/** One of our columns: a transport on a machine. */
export type OwnColumn = {
  key: string;
  machine: string;
  transport: string;
  series: SeriesSummary[];
  /** The commit of all its figures; `null` if there are several. */
  commit: string | null;
};

const TOPOLOGIES: Record<string, string> = {
  "route-1-n": "route",
  "channel-1-n": "channel-1-n",
  "channel-n-1": "channel-n-1",
  "channel-n-n": "channel-n-n",
};

const MACOS = { slug: "macos", name: "macOS" };

/** Publications with a preset that follows their protocol. */
export const PROTOCOLS: Protocol[] = [
  {
    slug: "chromium-mach-vs-fifo",
    preset: "chromium-mach",
    document: "explanation/chromium-mach.md",
    os: MACOS,
    figure: "p98, one way",
    asked: { scenario: "stream", mode: "2proc", transport: "fifo,mach-inline,mach-ool" },
    isOf: ({ transport, case: kase }, row) =>
      transport.slug === row.transport &&
      kase.message_bytes === row.message_bytes &&
      kase.total_bytes === kase.message_bytes &&
      kase.placement !== "cross-cpu",
    figureOf: ({ latest }) => latest?.latency_ns.p98 ?? null,
  },
  {
    slug: "libipc-macos-backends",
    preset: "libipc",
    document: "explanation/libipc.md",
    os: MACOS,
    figure: "p50 per message, threads of one process",
    asked: { scenario: Object.values(TOPOLOGIES).join(","), mode: "2thread" },
    isOf: (series, row) => isTopology(series, row) && waitsAs(series, row),
    figureOf: ({ latest, case: kase }) =>
      latest == null || latest.lossy ? null : nsPerMessage(latest, kase),
  },
  {
    slug: "node-child-process-framing",
    preset: "node-framing",
    document: "explanation/node-framing.md",
    os: null,
    figure: "p50 per message, window 256",
    asked: { scenario: "roundtrip", transport: "node-advanced,node-json" },
    isOf: ({ transport, case: kase, methodology }, row) =>
      transport.slug === `node-${row.serialization}` &&
      kase.message_bytes === row.message_bytes &&
      methodology.window === 256,
    figureOf: ({ latest }) => latest?.latency_ns.p50 ?? null,
  },
  {
    slug: "freebsd-pipes-and-sockets",
    preset: "ipc-static",
    document: "explanation/ipc-static.md",
    os: { slug: "freebsd", name: "FreeBSD" },
    figure: "",
    asked: { scenario: "stream", transport: "pipe,socketpair" },
    isOf: () => false,
    figureOf: () => null,
  },
];

/** The protocol of a publication, if there is a preset. */
export function protocolOf({ slug }: Pick<Reference, "slug">): Protocol | null {
  return PROTOCOLS.find((protocol) => protocol.slug === slug) ?? null;
}

/** Our columns for some rows: one per machine and transport with matching series. */
export function ownColumns(protocol: Protocol, rows: PublishedRow[], series: SeriesSummary[]): OwnColumn[] {
  const found = series.filter(
    (entry) => protocol.figureOf(entry) !== null && rows.some((row) => protocol.isOf(entry, row)),
  );
  return [...groupBy(found, ({ machine, transport }) => `${machine} ${transport.slug}`).entries()]
    .map(([key, own]) => {
      const [{ machine, transport }] = own;
      const commits = distinct(own.flatMap(({ latest }) => latest?.commit_sha ?? []));
      const commit = commits.length === 1 ? (commits[0] ?? null) : null;
      return { key, machine, transport: transport.slug, series: own, commit };
    })
    .sort((a, b) => ascending(a.machine, b.machine) || ascending(a.transport, b.transport));
}

/** Our newest value for some published rows. */
export function ownFigure(
  protocol: Protocol,
  { series }: OwnColumn,
  rows: PublishedRow[],
): { series: SeriesSummary; time_ns: number } | null {
  const found = series
    .filter((entry) => rows.some((row) => protocol.isOf(entry, row)))
    .sort((a, b) => ascending(b.latest?.measured_at ?? "", a.latest?.measured_at ?? ""));
  const [newest] = found;
  const time_ns = newest === undefined ? null : protocol.figureOf(newest);
  return newest === undefined || time_ns === null ? null : { series: newest, time_ns };
}

function isTopology({ case: kase, transport }: SeriesSummary, { topology, peers }: PublishedRow): boolean {
  const scenario = TOPOLOGIES[String(topology)];
  const [senders, receivers] = [sendersOf(kase), kase.peers];
  const counts: Record<string, boolean> = {
    route: senders === 1 && receivers === peers,
    "channel-1-n": senders === 1 && receivers === peers,
    "channel-n-1": receivers === 1 && senders === peers,
    "channel-n-n": senders === peers && receivers === peers,
  };
  return (
    kase.scenario === scenario &&
    counts[kase.scenario] === true &&
    transport.slug.startsWith("ring-") &&
    kase.size_profile === "uniform-2-256"
  );
}

function waitsAs({ methodology }: SeriesSummary, { methodology: set, waiters_fix }: PublishedRow): boolean {
  const { receive, wake, storage, on_full } = methodology;
  if (on_full !== "wait") return false;
  if (set === "fair") return receive !== "block" && storage === "cleared";
  const isFixed = set === "post-optimization" && waiters_fix !== "before";
  return receive === "block" && storage === "warm" && wake === (isFixed ? "if-asleep" : "always");
}
