/** Cases in words: what was asked of a transport, so that no two different cases read the same. */
import type { Case } from "@/api/types";
import { ascending } from "./collections";
import { counted, formatBytes, formatBytesExactly, formatCount } from "./units";
import { modeName, placementName, scenarioName } from "./vocabulary";

/** What a case has besides scenario, mode, placement and message size; `null` and one receiver are the usual. */
export type Parameters = {
  total_bytes: number | null;
  /** Of one operation, of all senders together. */
  messages: number | null;
  /** `null`: one. */
  senders: number | null;
  /** How many receivers. */
  peers: number;
  size_profile: string | null;
  buffer_bytes: number | null;
  rate_per_second: number | null;
  /** Which of several programs of one transport. */
  variant: string | null;
};

/** A case, or as much of one as has a name. */
export type Named = Pick<Case, "scenario" | "message_bytes"> &
  Partial<Parameters> &
  Partial<Pick<Case, "benchmark">>;

/** The parameters of a case that sets none. */
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

/** The parameters of a case. */
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

/** How many senders a case has. */
export function sendersOf({ senders }: Pick<Named, "senders">): number {
  return senders ?? 1;
}

/** How many senders and receivers a case has. */
export function endsOf(kase: Pick<Case, "senders" | "peers">): number {
  return sendersOf(kase) + kase.peers;
}

/** An end by its place among all ends, senders first, with a number where there are several: `receiver 2`. */
export function endName(place: number, ends: number, senders: number): string {
  const isSender = place < senders;
  const [role, alike, number] = isSender
    ? ["sender", senders, place + 1]
    : ["receiver", ends - senders, place - senders + 1];
  return alike > 1 ? `${role} ${number}` : role;
}

/** Each parameter that is set, in words: `64 KiB buffer`, `1,000/s`, `sizes drawn from chromium-ipc`. */
export function parameterNames(kase: Named): string[] {
  const { messages, size_profile, buffer_bytes, rate_per_second, variant } = kase;
  return [
    ...transferNames(kase),
    ...(messages == null ? [] : [counted(messages, "message")]),
    ...endNames(kase),
    ...(size_profile == null ? [] : [`sizes drawn from ${size_profile}`]),
    ...(buffer_bytes == null ? [] : [`${formatBytesExactly(buffer_bytes)} buffer`]),
    ...(rate_per_second == null ? [] : [`${formatCount(rate_per_second)}/s`]),
    ...(variant == null ? [] : [variant]),
  ];
}

/** How many messages one operation takes, where the case says so. */
export function messagesPerOperation({
  message_bytes,
  total_bytes,
  messages,
}: Pick<Named, "message_bytes" | "total_bytes" | "messages">) {
  return messages ?? (total_bytes == null ? null : total_bytes / Math.max(1, message_bytes));
}

/** Whether two cases differ in nothing. */
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

/** A short text for addresses and file names, the same if and only if all parameters are; empty when none is set. */
export function parametersKey(parameters: Parameters): string {
  const { total_bytes, messages, senders, peers, size_profile, buffer_bytes, rate_per_second, variant } =
    parameters;
  return [
    ...(total_bytes === null ? [] : [`total-${total_bytes}`]),
    ...(messages === null ? [] : [`messages-${messages}`]),
    ...(senders === null ? [] : [`senders-${senders}`]),
    ...(peers === 1 ? [] : [`receivers-${peers}`]),
    ...(size_profile === null ? [] : [`sizes-${size_profile}`]),
    ...(buffer_bytes === null ? [] : [`buffer-${buffer_bytes}`]),
    ...(rate_per_second === null ? [] : [`rate-${rate_per_second}`]),
    ...(variant === null ? [] : [`variant-${variant}`]),
  ].join(".");
}

/** For `sort`: by transfer, senders, receivers, profile, buffer, rate and variant, what is not set first. */
export function byParameters(a: Parameters, b: Parameters): number {
  return (
    ascending(a.total_bytes ?? 0, b.total_bytes ?? 0) ||
    ascending(a.messages ?? 0, b.messages ?? 0) ||
    ascending(a.senders ?? 1, b.senders ?? 1) ||
    ascending(a.peers, b.peers) ||
    ascending(a.size_profile ?? "", b.size_profile ?? "") ||
    ascending(a.buffer_bytes ?? 0, b.buffer_bytes ?? 0) ||
    ascending(a.rate_per_second ?? 0, b.rate_per_second ?? 0) ||
    ascending(a.variant ?? "", b.variant ?? "")
  );
}

/** The size of a message; where sizes are drawn, of the largest. */
export function sizeName({
  message_bytes,
  size_profile,
}: Pick<Named, "message_bytes" | "size_profile">): string {
  return size_profile == null ? formatBytes(message_bytes) : `up to ${formatBytes(message_bytes)}`;
}

/** What another tool calls a benchmark, and which build or program of it this is; `null` where this suite measured. */
export function benchmarkName({ benchmark, variant }: Pick<Named, "benchmark" | "variant">): string | null {
  if (benchmark == null) return null;
  return variant == null ? benchmark : `${benchmark}, ${variant}`;
}

/** What is sent, to begin a headline: `1 KiB messages`. */
export function trafficName(kase: Named): string {
  const noun = kase.scenario === "stream" ? "writes" : "messages";
  return kase.size_profile == null
    ? `${sizeName(kase)} ${noun}`
    : `${noun === "writes" ? "Writes" : "Messages"} of ${sizeName(kase)}`;
}

/**
 * The traffic and its parameters, to begin a headline: `100,000 messages of 64 B, 4 senders, 4 receivers`. What another
 * tool measured has its name there.
 */
export function headlineName(kase: Named): string {
  const benchmark = benchmarkName(kase);
  if (benchmark !== null) return benchmark;
  const names = parameterNames(kase);
  if (kase.messages == null) return [trafficName(kase), ...names].join(", ");
  const count = counted(kase.messages, "message");
  return [`${count} of ${sizeName(kase)}`, ...names.filter((name) => name !== count)].join(", ");
}

/** What is timed, to begin a sentence: `A round trip of 1 KiB`. */
export function operationName(kase: Named): string {
  const size = sizeName(kase);
  switch (kase.scenario) {
    case "stream":
      return `A stream of ${size} writes`;
    case "route":
    case "channel-1-n":
    case "channel-n-1":
    case "channel-n-n":
      return `A ${scenarioName(kase.scenario)} of ${size} messages`;
    case "open-loop":
      return `A message of ${size} in an open loop`;
    case "handle-passing":
      return kase.message_bytes === 1 ? "Passing handles" : `Passing handles with messages of ${size}`;
    default:
      return `A ${scenarioName(kase.scenario)} of ${size}`;
  }
}

/** A case without its transport. */
export function caseName(kase: Case): string {
  return caseParts(kase).join(", ");
}

/** The parts of that name, what is sent first. */
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

/** A name in the middle of a sentence. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Who takes part, where that is not one sender and one receiver, or could have been others. */
function endNames(kase: Named): string[] {
  const senders = sendersOf(kase);
  const { peers = 1, messages } = kase;
  if (senders > 1) return [counted(senders, "sender"), counted(peers, "receiver")];
  return peers === 1 && messages == null ? [] : [counted(peers, "receiver")];
}

/** How much one operation transfers: a count where bytes are not the point. */
function transferNames(kase: Named): string[] {
  if (kase.total_bytes == null) return [];
  const pieces = kase.total_bytes / Math.max(1, kase.message_bytes);
  if (kase.scenario === "handle-passing") return [counted(pieces, "handle")];
  return [pieces === 1 ? "one a transfer" : `${formatBytesExactly(kase.total_bytes)} in all`];
}
