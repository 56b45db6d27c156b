/** What the server will answer, until its document says so. */
type Quantiles = { p50: number; p98: number; p99: number };
type Transport = import("./types").TransportInfo;

declare module "./schema.gen" {
  interface paths {
    "/api/v1/projects/{project}/advice": {
      get: {
        parameters: {
          path: { project: string };
          query: {
            profile?: string;
            sizes?: string;
            machine?: string;
            placement?: string;
            by?: "p50" | "p98" | "p99" | "mean";
            rate_per_second?: number;
          };
        };
        responses: { 200: { headers: object; content: { "application/json": Advice } } };
      };
    };
  }
}

export type Advice = {
  sizes: {
    text: string;
    message_count: number;
    min_bytes: number;
    max_bytes: number;
    buckets: { from_bytes: number; to_bytes: number; count: number }[];
  };
  profile: string | null;
  by: "p50" | "p98" | "p99" | "mean";
  assumptions: string[];
  groups: AdviceGroup[];
};

export type AdviceGroup = {
  machine: string;
  os: string;
  placement: string;
  mode: string;
  scenario: string;
  is_oversubscribed: boolean;
  answer: string;
  ranking: RankedLine[];
  not_ranked: { transport: Transport; told_apart: Record<string, string>; because: string }[];
  crossovers: { below: number; above: number; x: number; from: number | null; to: number | null }[];
  would_change: { factor: number; line: number }[];
};

export type RankedLine = {
  line: number;
  transport: Transport;
  told_apart: Record<string, string>;
  waits: "blocks" | "spins";
  latency_ns: Quantiles & { mean: number };
  cpu_ns_per_message: number | null;
  switches_per_message: number | null;
  cpu_share: number | null;
  behind_first: { percent: number; low: number | null; high: number | null; is_sure: boolean } | null;
  measured_bytes: { min: number; max: number };
  below_measured_share: number;
  sizes: { message_bytes: number; series_id: number; run_id: string; latency_ns: Quantiles }[];
};
