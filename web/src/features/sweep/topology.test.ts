import { describe, expect, it } from "vitest";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { anObserved, aPoint, aResult, aRun, latency } from "@/test/fixtures";
import {
  chosenLoad,
  flatOf,
  lossless,
  processorsOf,
  runsOf,
  together,
  topologyHeadline,
  topologyLines,
} from "./topology";

const PARAMETERS = {
  mode: "2proc",
  placement: "free",
  messages: "1000",
  message_bytes: "256",
  size_profile: "uniform-2-256",
};

function sweepOf(scenario: string, senders: string, lossy = false) {
  const parameters = { ...PARAMETERS, senders, scenario };
  const spins = { methodology: { receive: "spin-then-block" }, point: { series_id: 2, lossy } };
  const lines = [
    aSweepLine("ring", { 1: 90_000, 8: 900_000 }, { parameters, methodology: { receive: "block" } }),
    aSweepLine("ring", { 1: 60_000 }, { parameters, ...spins }),
  ];
  return aSweep(lines, { over: "peers" });
}

const CHART = together([sweepOf("route", "1"), sweepOf("channel-n-n", "1 x peers", true)]);
const RUN = aRun({
  results: [1, 2].map((series_id) =>
    aResult({
      series_id,
      case: { messages: 1000 },
      observed: anObserved({ oversubscribed: series_id === 1 }),
      point: aPoint({ latency_ns: latency(series_id === 1 ? 90_000 : 60_000), lossy: false }),
    }),
  ),
});

describe("lines", () => {
  const { load } = chosenLoad(CHART, undefined);
  const lines = topologyLines(CHART, load?.key ?? "", [RUN], "message");

  it("have equal names in every scenario", () => {
    expect(load?.label).toBe("sizes from uniform-2-256, 1,000 messages");
    expect(lines.map(({ scenario, key, label }) => [scenario, key, label])).toEqual([
      ["route", "ring-blocks", "ring, blocks"],
      ["route", "ring-spins-then-blocks", "ring, spins, then blocks"],
      ["channel-n-n", "ring-blocks", "ring, blocks"],
      ["channel-n-n", "ring-spins-then-blocks", "ring, spins, then blocks"],
    ]);
  });

  it("have times per message, and mark oversubscription", () => {
    expect(lines[0]?.points[0]).toMatchObject({ members: 1, time_ns: 90, isOversubscribed: true });
    expect(lines[1]?.points[0]).toMatchObject({ time_ns: 60, isOversubscribed: false });
    const [operation] = topologyLines(CHART, load?.key ?? "", [RUN], "operation");
    expect(operation?.points[0]?.time_ns).toBe(90_000);
  });

  it("have no points while their runs are loading", () => {
    expect(runsOf(CHART, load?.key ?? "")).toEqual([RUN.run.run_id]);
    expect(topologyLines(CHART, load?.key ?? "", [], "message").flatMap(({ points }) => points)).toEqual([]);
  });

  it("leave out lossy points", () => {
    expect(lossless(lines).map(({ scenario, key }) => `${scenario} ${key}`)).toEqual([
      "route ring-blocks",
      "route ring-spins-then-blocks",
      "channel-n-n ring-blocks",
    ]);
  });

  it("have an ideal: the fastest with the fewest members", () => {
    expect(flatOf(lines)).toBe(60);
    expect(flatOf([])).toBeNull();
  });

  it("have a headline", () => {
    expect(topologyHeadline(lines, "lab-1", "message").replaceAll("\u00a0", " ")).toBe(
      "Route over ring (blocks) on lab-1: 90.0 ns per message with 1 receiver, 90.0 ns with 8",
    );
    expect(topologyHeadline([], "lab-1", "message")).toBe("No lossless results on lab-1");
  });
});

it("reads the number of processors from the environment", () => {
  expect(processorsOf({ "cpu.allowed": "2" })).toBe(2);
  expect(processorsOf({ "cpu.allowed": "not available" })).toBeNull();
  expect(processorsOf(undefined)).toBeNull();
});
