/** Names of cases. Different cases have different names. */
import type { Case } from "@/api/types";
import { ascending } from "./collections";
import { counted, formatBytes, formatBytesExactly, formatCount } from "./units";
import { modeName, placementName, scenarioName } from "./vocabulary";

/** Parameters besides scenario, mode, placement and message size. `null` and one receiver are the defaults. */
export type Parameters = {
  total_bytes: number | null;
  messages: number | null;
  /** `null`: one. */
  senders: number | null;
  peers: number;
  size_profile: string | null;
  buffer_bytes: number | null;
  rate_per_second: number | null;
  /** The name of one of several programs of a transport. */
  variant: string | null;
};

export type Named = Pick<Case, "scenario" | "message_bytes"> &
  Partial<Parameters> &
  Partial<Pick<Case, "benchmark">>;

export const USUAL_PARAMETERS: Parameters = {
  total_bytes: null,
  messages: null,
  senders: null,
  peers: 1,
  size_profile: null,
  buffer_bytes: null,
  rate_per_second: null,
  variant: null,
};

export function parametersOf(kase: Case): Parameters {
  return {
    total_bytes: kase.total_bytes ?? null,
    messages: kase.messages ?? null,
    senders: sendersOf(kase) === 1 ? null : sendersOf(kase),
    peers: kase.peers,
    size_profile: kase.size_profile ?? null,
    buffer_bytes: kase.buffer_bytes ?? null,
    rate_per_second: kase.rate_per_second ?? null,
    variant: kase.variant ?? null,
  };
}

export function sendersOf({ senders }: Pick<Named, "senders">): number {
  return senders ?? 1;
}

export function endsOf(kase: Pick<Case, "senders" | "peers">): number {
  return sendersOf(kase) + kase.peers;
}

/** The name of an end by its index, senders first, numbered if there are several: `receiver 2`. */
export function endName(place: number, ends: number, senders: number): string {
  const isSender = place < senders;
  const [role, alike, number] = isSender
    ? ["sender", senders, place + 1]
    : ["receiver", ends - senders, place - senders + 1];
  return alike > 1 ? `${role} ${number}` : role;
}

/** Each parameter that is set, in words: `64 KiB buffer`, `1,000/s`, `sizes from chromium-ipc`. */
export function parameterNames(kase: Named): string[] {
  const { messages, size_profile, buffer_bytes, rate_per_second, variant } = kase;
  return [
    ...transferNames(kase),
    ...(messages == null ? [] : [counted(messages, "message")]),
    ...endNames(kase),
    ...(size_profile == null ? [] : [`sizes from ${size_profile}`]),
    ...(buffer_bytes == null ? [] : [`${formatBytesExactly(buffer_bytes)} buffer`]),
    ...(rate_per_second == null ? [] : [`${formatCount(rate_per_second)}/s`]),
    ...(variant == null ? [] : [variant]),
  ];
}

/** The number of messages per operation; `null` if the case does not set it. */
export function messagesPerOperation({
  message_bytes,
  total_bytes,
  messages,
}: Pick<Named, "message_bytes" | "total_bytes" | "messages">) {
  return messages ?? (total_bytes == null ? null : total_bytes / Math.max(1, message_bytes));
}

export function isSameCase(a: Case, b: Case): boolean {
  return (
    a.scenario === b.scenario &&
    a.mode === b.mode &&
    a.placement === b.placement &&
    a.message_bytes === b.message_bytes &&
    (a.benchmark ?? null) === (b.benchmark ?? null) &&
    (a.operations ?? null) === (b.operations ?? null) &&
    parametersKey(parametersOf(a)) === parametersKey(parametersOf(b))
  );
}

/** The parameters in their order, with their names in addresses. */
const NAMES_IN_KEYS: [keyof Parameters, string][] = [
  ["total_bytes", "total"],
  ["messages", "messages"],
  ["senders", "senders"],
  ["peers", "receivers"],
  ["size_profile", "sizes"],
  ["buffer_bytes", "buffer"],
  ["rate_per_second", "rate"],
  ["variant", "variant"],
];

/** A short key for addresses and file names, unique for the parameters; empty if none is set. */
export function parametersKey(parameters: Parameters): string {
  return NAMES_IN_KEYS.filter(([name]) => parameters[name] !== USUAL_PARAMETERS[name])
    .map(([name, text]) => `${text}-${parameters[name]}`)
    .join(".");
}

/** For `sort`: by transfer, senders, receivers, profile, buffer, rate and variant; unset ones first. */
export function byParameters(a: Parameters, b: Parameters): number {
  for (const [name] of NAMES_IN_KEYS) {
    const [one, other] = [a[name], b[name]];
    if (one === other) continue;
    if (one === null || other === null) return one === null ? -1 : 1;
    return ascending(one, other);
  }
  return 0;
}

/** The message size; with a size profile, the largest. */
export function sizeName({
  message_bytes,
  size_profile,
}: Pick<Named, "message_bytes" | "size_profile">): string {
  return size_profile == null ? formatBytes(message_bytes) : `up to ${formatBytes(message_bytes)}`;
}

/** The name of an imported benchmark and its variant; `null` for our own measurements. */
export function benchmarkName({ benchmark, variant }: Pick<Named, "benchmark" | "variant">): string | null {
  if (benchmark == null) return null;
  return variant == null ? benchmark : `${benchmark}, ${variant}`;
}

/** The traffic, to begin a headline: `1 KiB messages`. */
export function trafficName(kase: Named): string {
  const noun = kase.scenario === "stream" ? "writes" : "messages";
  return kase.size_profile == null
    ? `${sizeName(kase)} ${noun}`
    : `${noun === "writes" ? "Writes" : "Messages"} of ${sizeName(kase)}`;
}

/**
 * The traffic and its parameters, to begin a headline: `100,000 messages of 64 B, 4 senders, 4 receivers`. For imports, the
 * name of the benchmark.
 */
export function headlineName(kase: Named): string {
  const benchmark = benchmarkName(kase);
  if (benchmark !== null) return benchmark;
  const names = parameterNames(kase);
  if (kase.messages == null) return [trafficName(kase), ...names].join(", ");
  const count = counted(kase.messages, "message");
  return [`${count} of ${sizeName(kase)}`, ...names.filter((name) => name !== count)].join(", ");
}

export function caseName(kase: Case): string {
  return caseParts(kase).join(", ");
}

export function caseParts(kase: Case): string[] {
  const benchmark = benchmarkName(kase);
  if (benchmark !== null) return [benchmark];
  return [
    `${scenarioName(kase.scenario)} ${sizeName(kase)}`,
    modeName(kase.mode, endsOf(kase)),
    placementName(kase.placement),
    ...parameterNames(kase),
  ];
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function endNames(kase: Named): string[] {
  const senders = sendersOf(kase);
  const { peers = 1, messages } = kase;
  if (senders > 1) return [counted(senders, "sender"), counted(peers, "receiver")];
  return peers === 1 && messages == null ? [] : [counted(peers, "receiver")];
}

/** The amount that one operation transfers: a count of handles, or bytes. */
function transferNames(kase: Named): string[] {
  if (kase.total_bytes == null) return [];
  const pieces = kase.total_bytes / Math.max(1, kase.message_bytes);
  if (kase.scenario === "handle-passing") return [counted(pieces, "handle")];
  return [pieces === 1 ? "one per transfer" : `${formatBytesExactly(kase.total_bytes)} total`];
}
