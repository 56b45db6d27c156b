/** The cases of the mock: 17 transports, with the traffic that pages need. */
import type { Case, Methodology, TransportInfo } from "@/api/types";
import { aSeries } from "@/test/fixtures";

type Transport = TransportInfo & { message_ns: number; kib_ns: number };

const ROWS: [slug: string, title: string, family: string, message_ns: number, kib_ns: number][] = [
  ["pipe", "Pipe", "pipe", 2400, 180],
  ["fifo", "Named pipe", "pipe", 2450, 182],
  ["socketpair", "Socket pair", "socket", 2900, 205],
  ["unix-stream", "Unix stream socket", "socket", 3100, 210],
  ["tcp", "TCP loopback", "socket", 8900, 260],
  ["udp", "UDP loopback", "socket", 7800, 300],
  ["unix-seqpacket", "Unix seqpacket socket", "socket", 3000, 212],
  ["unix-dgram", "Unix datagram socket", "socket", 3300, 215],
  ["posix-mq", "POSIX message queue", "message-queue", 2700, 320],
  ["ring-futex", "Shared-memory ring, futex", "shared-memory", 1450, 90],
  ["ring-spin", "Shared-memory ring, spinning", "shared-memory", 410, 240],
  ["ring-posix-semaphore", "Shared-memory ring, POSIX semaphore", "shared-memory", 1700, 92],
  ["eventfd", "Shared memory, eventfd", "shared-memory", 2000, 100],
  ["memfd-read", "memfd, every page read", "out-of-line", 6200, 40],
  ["memfd-remap", "memfd, every page remapped", "out-of-line", 8200, 22],
  ["process-vm-readv", "process_vm_readv", "out-of-line", 3600, 60],
  ["splice", "splice", "out-of-line", 5400, 75],
];

export const TRANSPORTS = ROWS.map(([slug, title, family, message_ns, kib_ns]): Transport => {
  const isShared = family === "shared-memory";
  const semantics = isShared ? "Both ends see the same memory." : "Bytes are copied twice.";
  return { slug, title, family, semantics, control: !isShared, message_ns, kib_ns };
});

/** A case with its methodology, and its cost relative to a small message. */
export type Traffic = { case: Case; methodology: Methodology; factor: number };

const BLOCKING = aSeries().methodology;
const SIZES = [16, 64, 256, 1024, 4096, 16_384, 65_536];
const PLACEMENTS: [string, number][] = [
  ["same-cpu", 1],
  ["cross-cpu", 2.4],
];
/** Bytes of one operation of `stream`, and messages of one of `route`. */
const STREAM_BYTES = 16 * 1024 * 1024;
const ROUTE_MESSAGES = 1000;
const STREAM_MESSAGE_BYTES = 65_536;

export function trafficOf(slug: string): Traffic[] {
  const of = (
    scenario: string,
    message_bytes: number,
    placement: string,
    rest: Partial<Case> = {},
  ): Case => ({
    scenario,
    message_bytes,
    peers: 1,
    mode: "2proc",
    placement,
    ...rest,
  });
  const isDropping = slug === "udp";
  const isSpinning = slug === "ring-spin";
  const methodology = isSpinning ? { ...BLOCKING, receive: "spin" } : BLOCKING;
  return [
    // Two ends that spin need a CPU each.
    ...PLACEMENTS.filter(([placement]) => !isSpinning || placement === "cross-cpu").flatMap(
      ([placement, factor]) =>
        SIZES.map((bytes) => ({
          case: of("roundtrip", bytes, placement),
          methodology,
          factor: 2 * factor,
        })),
    ),
    {
      case: of("stream", STREAM_MESSAGE_BYTES, "cross-cpu", { total_bytes: STREAM_BYTES }),
      methodology,
      factor: (0.4 * STREAM_BYTES) / STREAM_MESSAGE_BYTES,
    },
    ...[2, 4, 8].map((peers) => ({
      case: of("route", 1024, "free", { peers, messages: ROUTE_MESSAGES }),
      methodology,
      factor: 0.4 * ROUTE_MESSAGES * Math.sqrt(peers),
    })),
    {
      case: of("open-loop", 256, "cross-cpu", { rate_per_second: 10_000 }),
      methodology: { ...methodology, on_full: isDropping ? "drop" : "wait" },
      factor: 1.6,
    },
  ];
}

/** The base latency of an operation. */
export function operationNs({ message_ns, kib_ns }: Transport, { case: kase, factor }: Traffic): number {
  return (message_ns + (kib_ns * kase.message_bytes) / 1024) * factor;
}

/** Why a machine does not support a case; `null` if it does. */
export function unsupportedOn(machine: string, slug: string, { scenario }: Case): string | null {
  return machine === "lab-arm-1" && slug === "posix-mq" && scenario === "route"
    ? "msg_max is 10; a route of 1,000 messages needs 1,000"
    : null;
}
