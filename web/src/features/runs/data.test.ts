import { describe, expect, it } from "vitest";
import type { RunResult, StatedPoint } from "@/api/types";
import {
  anImport,
  anImportedResult,
  anObserved,
  aPoint,
  aResult,
  aRun,
  aRunSummary,
  aStatedPoint,
  latency,
} from "@/test/fixtures";
import {
  bufferGroups,
  deliveryGroups,
  disturbedGroups,
  factsOf,
  grantedBuffers,
  importedTables,
  isOfTwoSides,
  type MeasuredResult,
  platformWarning,
  probesOf,
  programFacts,
  reproCommands,
  resultTables,
  runTitle,
  shadeOf,
  sharedDomain,
  sizeMapOf,
  sortResults,
  statedColumns,
  traitsOf,
  warningsOf,
} from "./data";

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
  it("sorts by scenario, transport and size", () => {
    const { measured } = sortResults(results, "");
    expect([...measured.keys()]).toEqual(["roundtrip", "stream"]);
    const rows = measured
      .get("roundtrip")
      ?.map(({ transport, case: kase }) => `${transport.slug} ${kase.message_bytes}`);
    expect(rows).toEqual(["fifo 1024", "pipe 64", "pipe 4096", "tcp 1024"]);
  });
  it("groups equal reasons, and keeps failures", () => {
    const { unsupported, failures } = sortResults(results, "");
    expect(unsupported).toMatchObject([{ transport: "posix-mq", reason: "not mounted" }]);
    expect(unsupported[0]?.cases).toHaveLength(2);
    expect(failures).toMatchObject([{ transport: "fifo", repetition: 3 }]);
  });
  it("filters by transport name", () => {
    expect([...sortResults(results, " TC ").measured.values()].flat()).toHaveLength(1);
    expect(sortResults(results, "nothing").measured.size).toBe(0);
  });
});

describe("results that differ in more than transport and size", () => {
  const measured = (change: Parameters<typeof aResult>[0]) => ({ ...aResult(change), point: aPoint() });
  const probed = { ...aResult().methodology, probe: "syscalls" };
  it("have traits", () => {
    expect(traitsOf(aResult(), [aResult()])).toEqual([]);
    expect(traitsOf(aResult({ case: { buffer_bytes: 4096 }, methodology: probed }), [])).toEqual([
      "4 KiB buffer",
      "probe syscalls",
    ]);
    expect(probesOf([aResult(), aResult({ methodology: probed })])).toEqual(["syscalls"]);
  });
  it("include methodology if one case was measured in several ways", () => {
    const always = aResult({ methodology: { ...aResult().methodology, wake: "always" } });
    expect(traitsOf(always, [aResult(), always])).toEqual(["always wakes"]);
    expect(traitsOf(always, [aResult({ transport: "tcp" }), always])).toEqual([]);
    expect(traitsOf(always, [aResult({ case: { senders: 2 } }), always])).toEqual([]);
  });
  it("are sorted by their parameters", () => {
    const results = [10_000, 2000].map((rate_per_second) => aResult({ case: { rate_per_second } }));
    const rows = sortResults(results, "").measured.get("roundtrip");
    expect(rows?.map(({ case: kase }) => kase.rate_per_second)).toEqual([2000, 10_000]);
  });
  it.each<[string, Partial<MeasuredResult>[], string[]]>([
    ["nothing", [{}], []],
    ["due times", [{}, { observed: anObserved({ late: 0 }) }], ["hasDueTimes"]],
    ["messages", [{}, measured({ case: { messages: 1000 } })], ["hasMessages"]],
  ])("have columns for %s", (_, results, has) => {
    const { columns } = resultTables(results.map((result) => ({ ...measured({}), ...result }))).lossless;
    expect(Object.entries(columns).flatMap(([name, isThere]) => (isThere ? name : []))).toEqual(has);
  });
  it("show the granted buffers of each side, or one size for all", () => {
    const sides = (send: number, receive: number) =>
      grantedBuffers({
        counters: {
          effective_receive_buffer_bytes: receive,
          effective_send_buffer_bytes: send,
          descriptors: 2,
        },
      });
    expect(sides(131_072, 131_072)).toBe("128 KiB");
    expect(sides(212_992, 131_072)).toBe("send 208 KiB, receive 128 KiB");
    expect(grantedBuffers({ counters: { effective_buffer_bytes: 65_536 } })).toBe("64 KiB");
    expect(grantedBuffers({ counters: { descriptors: 2 } })).toBeNull();
  });
  it("group cases with equal buffers", () => {
    const granted = (transport: string, bytes: number, kase: Parameters<typeof measured>[0] = {}) =>
      measured({ transport, counters: { effective_buffer_bytes: bytes }, ...kase });
    const groups = bufferGroups([
      granted("tcp", 131_072, { case: { buffer_bytes: 65_536 } }),
      granted("pipe", 65_536),
      granted("pipe", 65_536, { case: { message_bytes: 64 } }),
      granted("pipe", 65_536, { case: { buffer_bytes: 4096 } }),
      measured({ transport: "ring-futex" }),
    ]);
    expect(
      groups.map(({ transport, requested, granted, cases }) => [transport, requested, granted, cases.length]),
    ).toEqual([
      ["pipe", "default", "64 KiB", 2],
      ["pipe", "4 KiB", "64 KiB", 1],
      ["tcp", "64 KiB", "128 KiB", 1],
    ]);
  });
});

it("lists the facts of each external program once", () => {
  const facts = { node: "v22.11.0", v8: "12.4" };
  const kase = { variant: "lts" };
  const results = [
    aResult({ transport: "node-json", facts }),
    aResult({ transport: "node-json", facts, case: { message_bytes: 64 } }),
    aResult({ transport: "node-advanced", facts, case: kase }),
    aResult({ transport: "pipe" }),
  ];
  expect(programFacts(results)).toEqual([
    { name: "node-advanced, lts", value: "node v22.11.0, v8 12.4" },
    { name: "node-json", value: "node v22.11.0, v8 12.4" },
  ]);
});

describe("the size map", () => {
  const at = (transport: string, message_bytes: number, p50: number, lossy = false) => ({
    ...aResult({ transport, case: { message_bytes } }),
    point: aPoint({ lossy, latency_ns: latency(p50) }),
  });
  const map = sizeMapOf([
    at("pipe", 64, 400),
    at("tcp", 64, 800),
    at("tcp", 1024, 900),
    at("pipe", 1024, 300),
    at("udp", 64, 1, true),
  ]);
  it("compares each time with the fastest at its size, without lossy results", () => {
    expect(map.sizes).toEqual([64, 1024]);
    expect(map.largest).toBe(3);
    const ratios = map.rows.map(({ name, cells }) => [
      name,
      ...[...cells.values()].map(({ ratio }) => ratio),
    ]);
    expect(ratios).toEqual([
      ["pipe", 1, 1],
      ["tcp", 2, 3],
    ]);
  });
  it("has a row for each set of parameters", () => {
    const buffered = { ...at("pipe", 64, 500), case: { ...at("pipe", 64, 500).case, buffer_bytes: 4096 } };
    expect(sizeMapOf([at("pipe", 64, 400), buffered]).rows.map(({ name }) => name)).toEqual([
      "pipe",
      "pipe, 4 KiB buffer",
    ]);
  });
  it("shades on a logarithmic scale", () => {
    expect([1, 10, 100].map((ratio) => shadeOf(ratio, 100))).toEqual([0, 0.5, 1]);
    expect(shadeOf(1, 1)).toBe(0);
  });
});

describe("lossy results", () => {
  const whole = { ...aResult(), point: aPoint() };
  const point = aPoint({ lossy: true, attempted: 300, accepted: 50, latency_ns: latency(7) });
  const lost = { ...aResult({ observed: anObserved({ oversubscribed: true }) }), point };
  it("have their own table, without an axis", () => {
    const { lossless, lossy } = resultTables([whole, lost]);
    expect(lossless.rows).toMatchObject([whole]);
    expect(lossy.rows).toMatchObject([lost]);
    expect(lossless.domain).toEqual([3600, 32_000]);
    expect(lossy.domain).toBeNull();
    expect([lossless.hasOversubscribed, lossy.hasOversubscribed]).toEqual([false, true]);
  });
  it("include methodology if others of their case are lossless", () => {
    const drops = { ...lost, methodology: { ...lost.methodology, on_full: "drop" } };
    const { lossless, lossy } = resultTables([whole, drops]);
    expect([lossless.rows[0]?.parameters, lossy.rows[0]?.parameters]).toEqual([[], ["drops when full"]]);
  });
  it("are listed by receiver if one missed accepted messages", () => {
    const perfect = { delivered: 50, lost: 0, duplicated: 0, out_of_order: 0, torn: 0 };
    const torn = { ...perfect, delivered: 49, torn: 1 };
    const of = (series_id: number, deliveries: (typeof perfect)[]) => ({
      ...aResult({ series_id, observed: anObserved({ deliveries }) }),
      point: aPoint(),
    });
    const groups = deliveryGroups([of(1, []), of(2, [perfect, perfect]), of(3, [perfect, torn])]);
    expect(groups).toEqual([
      {
        series_id: 3,
        transport: "pipe",
        caseName: "round trip 1 KiB, two processes, same CPU",
        deliveries: [perfect, torn],
      },
    ]);
  });
});

it("merges reasons that differ only in numbers", () => {
  const disturbed = (transport: string, reasons: Record<string, number>) => ({
    ...aResult({
      transport,
      observed: anObserved({
        disturbed: Object.entries(reasons).map(([reason, repetition_count]) => ({
          reason,
          repetition_count,
        })),
      }),
    }),
    point: aPoint(),
  });
  const [pipe, tcp] = ["pipe", "tcp"].map((slug) => `${slug}: round trip 1 KiB, two processes, same CPU`);
  const groups = disturbedGroups([
    disturbed("pipe", { "cpu 1 was shared": 1, "the hypervisor took 4.0 ms of 12 ms": 2 }),
    disturbed("tcp", { "the hypervisor took 1,250 µs of 9 ms": 3, "the hypervisor took 2 ms of 8 ms": 1 }),
  ]);
  expect(groups).toEqual([
    { reason: "the hypervisor took 4.0 ms of 12 ms", times: 6, cases: [pipe, tcp] },
    { reason: "cpu 1 was shared", times: 1, cases: [pipe] },
  ]);
});

it("has one axis from the smallest minimum to the largest maximum", () => {
  const results = [1000, 9000].map((p50) => {
    const point = aPoint({ latency_ns: latency(p50) });
    return { ...aResult(), point };
  });
  expect(sharedDomain(results)).toEqual([900, 72_000]);
});

it.each<[Record<string, string>, Record<string, string>, RegExp | undefined]>([
  [{}, {}, undefined],
  [{}, { "suite.tested": "on this system" }, undefined],
  [{}, { "suite.tested": "on Linux alone" }, /^The suite was tested on Linux alone\.$/],
  [{ "os.wine": "8.0" }, { "suite.tested": "under Wine" }, /^Measured under Wine 8\.0\. /],
  [{ synthetic: "yes" }, {}, /^Synthetic data, /],
])("warns about untested systems: %j, %j", (stable, conditions, note) => {
  if (note === undefined) expect(platformWarning({ stable, conditions })).toBeUndefined();
  else expect(platformWarning({ stable, conditions })).toMatch(note);
});

it("shows the results of a run with a deleted upload", () => {
  const kept = { ...aResult({ observed: null }), point: aPoint() };
  const { lossless } = resultTables([kept]);
  expect(lossless.rows).toHaveLength(1);
  expect([lossless.hasOversubscribed, lossless.columns.hasDueTimes]).toEqual([false, false]);
  expect([deliveryGroups([kept]), disturbedGroups([kept])]).toEqual([[], []]);
});

it("orders facts by name", () => {
  expect(factsOf({ "os.kernel": "6", "cpu.model": "x" }).map(({ name }) => name)).toEqual([
    "cpu.model",
    "os.kernel",
  ]);
});

it("has commands to reproduce the run", () => {
  expect(reproCommands(aRun())).toEqual([`git checkout ${"1".repeat(40)}`, "roundtrip run --preset quick"]);
  const watched = aRun({ results: [aResult({ methodology: { ...aResult().methodology, probe: "sched" } })] });
  expect(reproCommands(watched)[1]).toBe("roundtrip run --preset quick --probe sched");
});

describe("an import", () => {
  const results = [
    anImportedResult({ series_id: 1, case: { benchmark: "BM_Pipe/4096" } }),
    anImportedResult({ series_id: 2 }),
    anImportedResult({ series_id: 3, case: { benchmark: "BM_Once", operations: null } }),
    anImportedResult({ series_id: 4, case: { benchmark: "BM_Stated" }, statistic: "median" }),
  ];
  const ids = (some: { series_id: number }[]) => some.map(({ series_id }) => series_id);
  it("separates samples, stated values and own measurements", () => {
    const sorted = sortResults([...results, aResult({ series_id: 5 })], "");
    expect(ids([...sorted.measured.values()].flat())).toEqual([5]);
    expect(ids(sorted.imported).sort()).toEqual([1, 2, 3]);
    expect(ids(sorted.stated)).toEqual([4]);
  });
  it("is filtered by benchmark name", () => {
    const { imported, stated } = sortResults(results, "bm_pipe");
    expect([imported.length, stated.length]).toEqual([2, 0]);
  });
  it("groups times by their number of operations", () => {
    const tables = importedTables(sortResults(results, "").imported);
    expect(tables.map(({ time, isOfOne, results: ofTable }) => [time, isOfOne, ids(ofTable)])).toEqual([
      ["time of 1 operation", true, [3]],
      ["time of 1,000 operations", false, [2, 1]],
    ]);
  });
  it("has a table for each measure, with the unit in names that several have", () => {
    const of = (name: string, unit: string, operations: number) => {
      const result = anImportedResult();
      const measure = { name, unit, better: "higher" as const };
      return { ...result, case: { ...result.case, measure, operations } };
    };
    const some = [of("rate", "/s", 1_000), of("rate", "", 1_000), of("B/op", "B", 1)];
    const tables = importedTables(sortResults(some, "").imported);
    expect(tables.map(({ time, isPlain }) => [time, isPlain])).toEqual([
      ["B/op", false],
      ["rate, no unit", false],
      ["rate, /s", false],
    ]);
  });
  it("has no deliveries", () => {
    expect(deliveryGroups(sortResults(results, "").imported)).toEqual([]);
  });
  it("has columns for stated values, and one for the statistic if it differs", () => {
    const of = (statistic: string, summary: Partial<StatedPoint>) =>
      anImportedResult({ statistic, summary: aStatedPoint(summary) });
    const columns = (some: RunResult[]) => {
      const { times, ...rest } = statedColumns(sortResults(some, "").stated);
      return { ...rest, times: times.map(({ label }) => label) };
    };
    const quantiles = [{ q_ppm: 900_000, ns: 9 }];
    expect(columns([of("median", {}), of("median", { max_ns: 9, quantiles })])).toEqual({
      statistic: "median",
      hasInterval: false,
      times: ["p90", "max"],
    });
    expect(columns([of("median", {}), of("mean", { low_ns: 1, high_ns: 2, min_ns: 0 })])).toEqual({
      statistic: null,
      hasInterval: true,
      times: ["min"],
    });
  });
  it("is named by its tool", () => {
    const original = { name: "pipes.json", format: "google-benchmark", bytes: 9 };
    const run = aRun({ run: anImport(), original, results });
    expect(runTitle(run)).toBe("1111111, imported from Google Benchmark");
    expect(runTitle(aRun())).toBe("1111111 on lab-linux-1");
  });
});

it("recognises a run with exactly the two sides of a comparison", () => {
  const of = (...variants: (string | null)[]) =>
    isOfTwoSides({ results: variants.map((variant) => aResult({ case: { variant } })) });
  expect([of("head", "base", "head"), of("base"), of("base", "head", null), of()]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it("warns about quarantined runs", () => {
  expect(warningsOf(aRun())).toEqual([]);
  const run = aRunSummary({ quarantined: true });
  expect(warningsOf(aRun({ run })).join()).toMatch(/Excluded from trends/);
});
