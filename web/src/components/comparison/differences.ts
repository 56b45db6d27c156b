/** Why pairs are not compared, in words, those with the same reason together. Pure. */
import type { Comparison, ComparisonPair, NotCompared } from "@/api/types";
import { groupBy } from "@/lib/collections";
import { onFullName, receiveName, storageName, wakeName } from "@/lib/vocabulary";

type Difference = ComparisonPair["differences"][number];

/** What is not compared for one reason. */
export type Group = { title: string; count: number; machines: string[]; pairs: ComparisonPair[] };

/** What a pair, or many, is not compared for. */
type Reasons = Pick<NotCompared, "differences" | "reasons">;

/** What differs by its name on the wire: in words. */
const NAMES: Record<string, string> = {
  "environment.cpu.microcode": "microcode",
  "environment.cpu.mitigations": "mitigations of the processor",
  "environment.cpu.model": "processor",
  "environment.os.distribution": "distribution",
  "environment.os.kernel": "kernel",
  batch: "operations timed together",
  build: "build",
  clock: "clock",
  discarded_repetitions: "discarded repetitions",
  machine: "machine",
  on_full: "when the channel is full",
  oversubscribed: "more threads than processors",
  payload: "payload",
  probe: "probe",
  protocol_version: "version of the way of measuring",
  receive: "who waits to receive",
  send: "sending",
  statistic: "what is stated",
  storage: "memory",
  wake: "wake-ups",
  warmup: "warm-up operations",
  window: "messages in flight",
};

/** Values by what differs, where they are slugs. */
const VALUES: Record<string, (slug: string) => string> = {
  on_full: onFullName,
  oversubscribed: (value) => (value === "true" ? "yes" : "no"),
  receive: receiveName,
  storage: storageName,
  wake: wakeName,
};

/** Numbers of messages that arrived are of each case alone. */
const OF_EACH = "delivered";

/** Why not, the reasons of most cases first, each with those of its pairs that are known here. */
export function groupsOf({ not_compared, pairs }: Pick<Comparison, "not_compared" | "pairs">): Group[] {
  const known = groupBy(
    pairs.filter(({ kind }) => kind === "not-comparable"),
    titleOf,
  );
  return not_compared.map((group) => {
    const title = titleOf(group);
    const { pair_count, machines } = group;
    return { title, count: pair_count, machines, pairs: known.get(title) ?? [] };
  });
}

/** What is to be told of one case, which its group does not: how much arrived. */
export function lossOf({ differences }: ComparisonPair): string | null {
  const loss = differences.find(({ what }) => what === OF_EACH);
  return loss === undefined ? null : `arrived ${loss.base} against ${loss.head}`;
}

/** Why a pair is not compared; nothing of one that is. */
export function whyNot({ differences, reasons }: Reasons): string[] {
  return [...differences.map(differenceText), ...reasons.map(reasonText)];
}

/** One difference in words: `kernel: 6.12.4 against 6.12.9`. */
function differenceText({ what, base, head }: Difference): string {
  if (what === OF_EACH) return "messages were lost or altered";
  const name = NAMES[what] ?? what.replace(/^environment\./, "").replace(/[._]/g, " ");
  const value = (slug: string) => (slug === "absent" ? "not told" : (VALUES[what]?.(slug) ?? slug));
  return `${name}: ${value(base)} against ${value(head)}`;
}

function titleOf(of: Reasons): string {
  return whyNot(of).join("; ") || "no reason is told";
}

/** A missing side: `not measured in the base`. */
function reasonText(reason: string): string {
  return reason.replace(/^not in the /, "not measured in the ");
}
