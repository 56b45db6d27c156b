import { describe, expect, it } from "vitest";
import { aPoint, aResult, aRun, latency } from "@/test/fixtures";
import { factsOf, reproCommands, sharedDomain, sortResults } from "./data";

describe("sortResults", () => {
  const results = [
    aResult({ transport: "tcp", case: { message_bytes: 1024 } }),
    aResult({ transport: "pipe", case: { message_bytes: 4096 } }),
    aResult({ transport: "pipe", case: { message_bytes: 64 } }),
    aResult({ transport: "pipe", case: { scenario: "stream" } }),
    aResult({ transport: "posix-mq", point: null, unsupported: "not mounted" }),
    aResult({ transport: "posix-mq", point: null, unsupported: "not mounted", case: { message_bytes: 64 } }),
    aResult({ transport: "fifo", failures: [{ repetition: 3, reason: "responder: killed by signal 9" }] }),
  ];
  it("sorts what was measured by scenario, transport and size", () => {
    const { measured } = sortResults(results, "");
    expect([...measured.keys()]).toEqual(["roundtrip", "stream"]);
    const rows = measured
      .get("roundtrip")
      ?.map(({ transport, case: kase }) => `${transport.slug} ${kase.message_bytes}`);
    expect(rows).toEqual(["fifo 1024", "pipe 64", "pipe 4096", "tcp 1024"]);
  });
  it("tells one reason once, and keeps failures", () => {
    const { unsupported, failures } = sortResults(results, "");
    expect(unsupported).toMatchObject([{ transport: "posix-mq", reason: "not mounted" }]);
    expect(unsupported[0]?.cases).toHaveLength(2);
    expect(failures).toMatchObject([{ transport: "fifo", repetition: 3 }]);
  });
  it("keeps the transports that have the text in their name", () => {
    expect([...sortResults(results, " TC ").measured.values()].flat()).toHaveLength(1);
    expect(sortResults(results, "nothing").measured.size).toBe(0);
  });
});

it("shares one axis from the smallest minimum to the largest maximum", () => {
  const results = [1000, 9000].map((p50) => {
    const point = aPoint({ latency_ns: latency(p50) });
    return { ...aResult(), point };
  });
  expect(sharedDomain(results)).toEqual([900, 72_000]);
});

it("orders facts by name", () => {
  expect(factsOf({ "os.kernel": "6", "cpu.model": "x" }).map(({ name }) => name)).toEqual([
    "cpu.model",
    "os.kernel",
  ]);
});

it("names the commit and the preset to measure again", () => {
  expect(reproCommands(aRun())).toEqual([`git checkout ${"1".repeat(40)}`, "roundtrip run --preset quick"]);
});
