/** Published results, shortened: enough for the layout of the pages. */
import { formatBytes } from "@/lib/units";
import type { Mocks } from "../endpoint";

/** The message counts of the profile by the first size of each bucket, and the end of the last bucket. */
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

const PIPES_OR_SOCKETS = "Pipes or sockets on your machine?";

/** Bandwidths of both in MiB/s, by buffer size. */
const BANDWIDTHS: [number, number, number][] = [
  [64, 60, 20],
  [1024, 700, 290],
  [8192, 1650, 1500],
  [65_536, 2600, 3400],
  [1_048_576, 2650, 4300],
];

export const published = {
  "/api/v1/projects/{project}/references/{reference}": (world, { path }) => ({
    reference: path.reference,
    question: PIPES_OR_SOCKETS,
    preset: "ipc-static",
    machines: world.machinesOf(path.project).map(({ machine }) => ({
      machine,
      answer: `Pipes up to 11 KiB [9.1 KiB, 14 KiB], socket pairs beyond (two processes on one processor, ${machine}).`,
      reasons: [
        "Geometric mean over 5 sizes: pipes have 1.44 times [1.40, 1.48] the bandwidth of socket pairs.",
        "Mock data: the values are invented.",
      ],
      tables: [
        {
          title: "Two processes on one processor",
          rows_are: "message_bytes",
          columns: [
            { name: "pipe", unit: "bytes_per_second" },
            { name: "socketpair", unit: "bytes_per_second" },
            { name: "pipe speedup vs. socketpair", unit: "times" },
          ],
          rows: BANDWIDTHS.map(([bytes, pipe, socketpair]) => ({
            name: formatBytes(bytes),
            message_bytes: bytes,
            cells: [
              ...[pipe, socketpair].map((rate) => ({
                value: rate * 1_048_576,
                low: null,
                high: null,
                series_id: 1,
                run_id: world.runs[0]?.run_id ?? null,
              })),
              {
                value: pipe / socketpair,
                low: (0.96 * pipe) / socketpair,
                high: (1.05 * pipe) / socketpair,
                series_id: null,
                run_id: null,
              },
            ],
          })),
        },
      ],
    })),
  }),
  "/api/v1/references": () => ({
    references: [
      {
        slug: "chromium-mach-vs-fifo",
        title: "Mach messages against a FIFO",
        question: "Would Chromium decide the same today?",
        preset: "sizes",
        source: "Mock data: invented figures",
        summary: "Messages inline and out of line against a FIFO, by size.",
        methodology: [{ name: "figure", value: "p98 of one-way sends" }],
        not_comparable_because: ["One-way times, not round trips."],
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
        question: PIPES_OR_SOCKETS,
        preset: "ipc-static",
        source: "Mock data: invented figures",
        summary: "Statements without a table.",
        methodology: [],
        not_comparable_because: ["No figures are printed."],
        unit: null,
        columns: [],
        rows: [],
        statements: ["Pipes are faster than sockets."],
      },
    ],
  }),
  "/api/v1/size-profiles": () => ({
    size_profiles: [
      {
        slug: "chromium-ipc",
        title: "Messages of a browser",
        source: "Mock data: invented figures",
        sample_count: COUNTS.reduce((sum, [, count]) => sum + count, 0),
        note: "Sizes within a bucket are assumed equally frequent.",
        buckets: COUNTS.map(([from_bytes, count], index) => ({
          from_bytes,
          to_bytes: (COUNTS[index + 1]?.[0] ?? LAST_BYTES + 1) - 1,
          count,
        })),
      },
    ],
  }),
} satisfies Partial<Mocks<"get">>;
