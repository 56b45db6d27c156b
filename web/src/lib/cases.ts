/** Names of cases. Different cases have different names. */
import type { Case } from "@/api/types";
import { ascending } from "./collections";
import { counted, formatBytes, formatBytesExactly, formatCount } from "./units";
import { modeName, placementName, scenarioName } from "./vocabulary";

/** Parameters besides scenario, mode, placement and message size, in their order, with their names in addresses. */
const PARAMETERS = [
  ["total_bytes", "total"],
  ["messages", "messages"],
  ["senders", "senders"],
  ["peers", "receivers"],
  ["size_profile", "sizes"],
  ["buffer_bytes", "buffer"],
  ["rate_per_second", "rate"],
  ["variant", "variant"],
] as const satisfies [keyof Case, string][];

/** The defaults are `null`, which is also one sender, and one receiver. */
export type Parameters = Pick<Case, "peers"> & {
  [Name in Exclude<(typeof PARAMETERS)[number][0], "peers">]: NonNullable<Case[Name]> | null;
};

export type Named = Pick<Case, "scenario" | "message_bytes"> &
  Partial<Parameters> &
  Partial<Pick<Case, "benchmark" | "measure">>;

export function parametersOf(kase: Partial<Case>): Parameters {
  const parameters = Object.fromEntries(PARAMETERS.map(([name]) => [name, kase[name] ?? null])) as Parameters;
  return { ...parameters, senders: sendersOf(kase) === 1 ? null : sendersOf(kase) };
}

export const USUAL_PARAMETERS = parametersOf({ peers: 1 });

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
  const named = (name: keyof Parameters) => {
    const value = kase[name];
    return value == null ? [] : [parameterName(name, String(value))];
  };
  return [
    ...transferNames(kase),
    ...named("messages"),
    ...endNames(kase),
    ...(["size_profile", "buffer_bytes", "rate_per_second", "variant"] as const).flatMap(named),
  ];
}

/** A parameter in words: `1 MiB total`, `64 KiB buffer`. */
export function parameterName(name: string, value: string): string {
  const times = /^(\d+) x /.exec(value)?.[1];
  const number = Number(value);
  switch (name) {
    case "total_bytes":
      if (times === "1") return "one message per transfer";
      return times === undefined ? `${formatBytesExactly(number)} total` : `${times} messages per transfer`;
    case "buffer_bytes":
      if (times === "1") return "message-sized buffer";
      return times === undefined ? `${formatBytesExactly(number)} buffer` : `buffer of ${times} messages`;
    case "size_profile":
      return `sizes from ${value}`;
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
    (a.measure?.name ?? null) === (b.measure?.name ?? null) &&
    parametersKey(parametersOf(a)) === parametersKey(parametersOf(b))
  );
}

/** A short key for addresses and file names, unique for the parameters; empty if none is set. */
export function parametersKey(parameters: Parameters): string {
  return PARAMETERS.filter(([name]) => parameters[name] !== USUAL_PARAMETERS[name])
    .map(([name, text]) => `${text}-${parameters[name]}`)
    .join(".");
}

/** For `sort`: by transfer, senders, receivers, profile, buffer, rate and variant; unset ones first. */
export function byParameters(a: Parameters, b: Parameters): number {
  for (const [name] of PARAMETERS) {
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

/** The name of an imported benchmark, its variant and its measure; `null` for our own measurements. */
export function benchmarkName({
  benchmark,
  variant,
  measure,
}: Pick<Named, "benchmark" | "variant" | "measure">): string | null {
  if (benchmark == null) return null;
  return [benchmark, variant, measure?.name].filter((part) => part != null).join(", ");
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

function caseParts(kase: Case): string[] {
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
