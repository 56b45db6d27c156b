import { expect, it } from "vitest";
import type { SeriesFacets } from "@/api/types";
import { parseQuery, type Query, textOf } from "@/lib/query";
import { choicesOf, facetsOf } from "./facets";

const counted = <T>(...values: T[]) => values.map((value) => ({ value, series_count: 2 }));

const FACETS: SeriesFacets = {
  series_count: 8,
  machine: counted("lab-1", "mac-1"),
  transport: counted("fifo", "pipe"),
  scenario: counted("roundtrip"),
  mode: counted("2proc"),
  placement: counted("same-cpu"),
  message_bytes: counted(64, 4096, 65_536),
  peers: counted(1),
};
const KNOWN = {
  facets: FACETS,
  machines: [
    { machine: "lab-1", os: "linux" },
    { machine: "lab-2", os: "linux" },
    { machine: "mac-1", os: "macos" },
  ],
};

function queryOf(text: string): Query {
  const parsed = parseQuery(text);
  if (parsed.kind === "error") throw new Error(parsed.error.message);
  return parsed.query;
}

/** The text after a click on the smallest size. */
function toggledSize(text: string) {
  const [size] = valuesOf(text, "Message size");
  return size && textOf(size.toggled);
}

function valuesOf(text: string, title: string, counts = FACETS) {
  return facetsOf(queryOf(text), counts, KNOWN).find((facet) => facet.title === title)?.values ?? [];
}

it("selects values of the text, and changes the text", () => {
  const values = valuesOf("transport:pipe p99", "Transport");
  expect(values.map(({ label, count, isOn }) => [label, count, isOn])).toEqual([
    ["fifo", 2, false],
    ["pipe", 2, true],
  ]);
  expect(values.map(({ toggled }) => textOf(toggled))).toEqual(["transport:pipe,fifo p99", "p99"]);
});

it("changes numbers, and keeps the others", () => {
  const peers = valuesOf("transport:pipe peers:2", "Receivers", { ...FACETS, peers: counted(1, 2) });
  expect(peers.map(({ toggled }) => textOf(toggled))).toEqual(["transport:pipe peers:2,1", "transport:pipe"]);
});

it("counts series by system on the selected machines", () => {
  const counts = { ...FACETS, machine: counted("lab-1", "lab-2", "mac-1") };
  const systems = (text: string) => valuesOf(text, "OS", counts).map(({ value, count }) => [value, count]);
  expect(systems("")).toEqual([
    ["linux", 4],
    ["macos", 2],
  ]);
  expect(systems("machine:lab-1")).toEqual([["linux", 2]]);
});

it("selects the sizes that match a comparison", () => {
  const values = valuesOf("size:>=4k", "Message size");
  expect(values.map(({ label, isOn }) => [label, isOn])).toEqual([
    ["64 B", false],
    ["4 KiB", true],
    ["64 KiB", true],
  ]);
  expect(values.map(({ toggled }) => textOf(toggled))).toEqual(["size:64,4k,64k", "size:64k", "size:4k"]);
  expect([toggledSize(""), toggledSize("size:64")]).toEqual(["size:64", ""]);
});

it("keeps selected values without series", () => {
  const none = { ...FACETS, transport: counted("fifo") };
  expect(valuesOf("transport:pipe", "Transport", none).map(({ value, count }) => [value, count])).toEqual([
    ["fifo", 2],
    ["pipe", 0],
  ]);
});

it("limits machines to the selected OS", () => {
  expect(valuesOf("os:linux", "Machine").map(({ value }) => value)).toEqual(["lab-1"]);
  expect(valuesOf("os:linux machine:mac-1", "Machine").map(({ value }) => value)).toEqual(["lab-1", "mac-1"]);
});

it("leaves out facets with one value and lists them", () => {
  const { choices, same } = choicesOf(facetsOf(queryOf(""), FACETS, KNOWN));
  expect(choices.map(({ title }) => title)).toEqual(["Transport", "Machine", "OS", "Message size"]);
  expect(same).toEqual(["round trip", "two processes", "same CPU", "1 receiver"]);
  const ticked = choicesOf(facetsOf(queryOf("mode:2proc"), FACETS, KNOWN));
  expect(ticked.choices.map(({ title }) => title)).toContain("Mode");
});
