/** The valid parts of each page's address; the rest is ignored, so that a damaged link still opens. */
import { expect, it } from "vitest";
import { parseCompareSearch } from "@/features/compare/search";
import { parseExploreSearch } from "@/features/explore/search";
import { parseOverviewSearch } from "@/features/overview/search";
import { parseProfileSearch } from "@/features/profile/search";
import { parseInboxSearch } from "@/features/regressions/search";
import { parseSeriesSearch } from "@/features/series/search";
import { parseSizesSearch } from "@/features/sizes/search";
import { parseSweepSearch, parseTopologySearch } from "@/features/sweep/search";
import { askedFor } from "@/lib/regressions";
import type { RawSearch } from "@/lib/search";

const RUN = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b";
const SHA = "0a".repeat(20);
const SLICE = { placement: "cross-cpu", bytes: 64, parameters: "rate-1000" };
const SWEEP = { machine: "lab-1", show: "p99", commit: SHA, pair: "pipe.tcp" };
const askedOfInbox = (raw: RawSearch) => askedFor(parseInboxSearch(raw));

it.each<[page: string, parse: (raw: RawSearch) => object, raw: RawSearch, known: object]>([
  ["the overview", parseOverviewSearch, { ...SLICE, mode: "<b>", page: 2 }, SLICE],
  ["a series", parseSeriesSearch, { show: "p99", axis: "moon", run: RUN }, { show: "p99", run: RUN }],
  ["a sweep", parseSweepSearch, { ...SWEEP, hidden: "pipe.Not one" }, { ...SWEEP, hidden: "pipe" }],
  ["a sweep", parseSweepSearch, { show: "p98", commit: "main", hidden: 7, pair: "pipe" }, {}],
  [
    "topologies",
    parseTopologySearch,
    { time: "operation", mode: "2thread" },
    { time: "operation", mode: "2thread" },
  ],
  ["topologies", parseTopologySearch, { time: "attempt", hidden: "" }, {}],
  ["sizes", parseSizesSearch, { machine: "lab-1", profile: "Any one" }, { machine: "lab-1" }],
  ["sizes", parseSizesSearch, { hidden: "pipe" }, { hidden: "pipe" }],
  [
    "a comparison",
    parseCompareSearch,
    { base: 6843749, head: "2e5f291" },
    { base: "6843749", head: "2e5f291" },
  ],
  ["a comparison", parseCompareSearch, { machine: "lab-1", base: {}, head: "" }, { machine: "lab-1" }],
  // The typed search, even if the router parsed it as another type.
  ["Explore", parseExploreSearch, { q: " transport:pipe  p99 " }, { q: "transport:pipe  p99" }],
  ["Explore", parseExploreSearch, { q: 64, picked: 12 }, { q: "64", picked: "12" }],
  ["Explore", parseExploreSearch, { q: true }, { q: "true" }],
  ["Explore", parseExploreSearch, { q: ["a"], picked: "12,,x", group: "colour", sort: "A!" }, {}],
  [
    "Explore",
    parseExploreSearch,
    { sort: "size-desc", group: "transport", columns: "size.mode", toggled: "pipe" },
    { sort: "size-desc", group: "transport", columns: "size.mode", toggled: "pipe" },
  ],
  ["Explore", parseExploreSearch, { q: "" }, {}],
  [
    "profiles",
    parseProfileSearch,
    { end: "sender 1", view: "base", time: "asleep", q: 64 },
    { end: "sender 1", view: "base", q: "64" },
  ],
  ["the inbox", parseInboxSearch, { shown: "odd", direction: 7, quiet: "yes", after: "<" }, {}],
  // The default: open regressions.
  ["the inbox", askedOfInbox, {}, { direction: "regressed", state: "new,acknowledged" }],
  [
    "the inbox",
    askedOfInbox,
    { shown: "all", direction: "improved", quiet: true, after: "abc" },
    { direction: "improved", quiet: true, after: "abc" },
  ],
])("%s ignores invalid values in its address: %#", (_page, parse, raw, known) => {
  expect(parse(raw)).toEqual(known);
});
