/** What others have published, in short: enough to see how the pages stand. */
import type { Mocks } from "../endpoint";

type Path = "/api/v1/references" | "/api/v1/size-profiles";

/** Messages of the profile, by the first size of each bucket; and the last size of the last one. */
const COUNTS: [number, number][] = [
  [12, 4100],
  [16, 900],
  [23, 8800],
  [32, 2300],
  [45, 17_500],
  [64, 3900],
  [91, 640],
  [128, 310],
  [181, 420],
  [256, 1250],
  [362, 1400],
  [512, 900],
  [724, 380],
  [1024, 160],
  [2048, 60],
  [4096, 24],
  [11_585, 9],
];
const LAST_BYTES = 16_383;

export const published: Pick<Mocks<"get">, Path> = {
  "/api/v1/references": () => ({
    references: [
      {
        slug: "chromium-mach-vs-fifo",
        title: "Mach messages against a FIFO",
        source: "The mock: its figures are invented",
        summary: "Messages inline and out of line against a FIFO, by size.",
        methodology: [{ name: "figure", value: "p98 of one-way sends" }],
        not_comparable_because: ["One way was timed, not a round trip."],
        unit: "us",
        columns: [
          { name: "host", is_number: false, unit: null },
          { name: "message_bytes", is_number: true, unit: "bytes" },
          { name: "transport", is_number: false, unit: null },
          { name: "p98_us", is_number: true, unit: "us" },
        ],
        rows: [100, 1024, 16_384].flatMap((bytes) => [
          ["laptop", bytes, "mach-inline", 10 + bytes / 1000],
          ["laptop", bytes, "mach-ool", 36],
          ["laptop", bytes, "fifo", 110 + bytes / 500],
        ]),
        statements: [],
      },
      {
        slug: "freebsd-pipes-and-sockets",
        title: "Pipes and sockets",
        source: "The mock: its figures are invented",
        summary: "Statements without a table.",
        methodology: [],
        not_comparable_because: ["No figures are printed."],
        unit: null,
        columns: [],
        rows: [],
        statements: ["Pipes are ahead of sockets."],
      },
    ],
  }),
  "/api/v1/size-profiles": () => ({
    size_profiles: [
      {
        slug: "chromium-ipc",
        title: "Messages of a browser",
        source: "The mock: its figures are invented",
        sample_count: COUNTS.reduce((sum, [, count]) => sum + count, 0),
        note: "Sizes within a bucket are taken as evenly spread.",
        buckets: COUNTS.map(([from_bytes, count], index) => ({
          from_bytes,
          to_bytes: (COUNTS[index + 1]?.[0] ?? LAST_BYTES + 1) - 1,
          count,
        })),
      },
    ],
  }),
};
