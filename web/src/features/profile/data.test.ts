import { expect, it } from "vitest";
import { type Flame, flameOf, matchOf, ROOT } from "@/lib/flame";
import { detailsOf, matchText, signedNs, spoken } from "./data";
import { shortened } from "./paint";

/** `main` calls `kept`, which became slower, `removed` and `added`. */
function aFlame(): Flame {
  const none = [0, 0, 0, 0];
  const end = {
    name: "responder",
    parents: [null, 0, 0, 0],
    functions: [0, 1, 2, 3],
    base_on_cpu_ns: [0, 4000, 500, 0],
    head_on_cpu_ns: [0, 5000, 0, 1000],
    base_waiting_ns: none,
    head_waiting_ns: none,
  };
  const functions = ["main", "kept", "removed", "added"];
  return flameOf({ base_messages: 1, head_messages: 1, functions, ends: [end] }, end, "both");
}

it("describes a frame by its times, its change and its share", () => {
  expect(detailsOf(aFlame(), 2, "difference")).toEqual({
    name: "kept",
    base: "4.00 µs",
    head: "5.00 µs",
    change: "+1.00 µs per message (+25 %)",
    direction: "regressed",
    own: "+1.00 µs",
    share: "83.3 % of head",
  });
  expect(detailsOf(aFlame(), 2, "base").share).toBe("88.9 % of base");
  expect(spoken(detailsOf(aFlame(), ROOT, "head"))).toBe(
    "responder: base 4.50 µs, head 6.00 µs, +1.50 µs per message (+33 %); own change 0 ns; 100.0 % of head",
  );
});

it("names code that only one side ran", () => {
  expect(detailsOf(aFlame(), 3, "difference")).toMatchObject({
    change: "-500 ns per message, only in base",
    direction: "improved",
    share: "11.1 % of base",
  });
  expect(detailsOf(aFlame(), 4, "difference").change).toBe("+1.00 µs per message, only in head");
});

it("has no sign for a change that rounds to zero", () => {
  expect([-0.4, 0.4, -0.6].map(signedNs)).toEqual(["0 ns", "0 ns", "-1 ns"]);
});

it("describes a search by its functions and their share of both sides", () => {
  const text = (query: string) => {
    const match = matchOf(aFlame(), query);
    return match === null ? null : matchText(match);
  };
  expect(text("kept")).toBe("1 function: 88.9 % of base, 83.3 % of head");
  expect(text("ed")).toBe("2 functions: 11.1 % of base, 16.7 % of head");
  expect(text("nowhere")).toBe("No match");
});

it("shortens names that do not fit", () => {
  expect([30, 10, 5, 1].map((room) => shortened("ring::send", room))).toEqual([
    "ring::send",
    "ring::send",
    "ring…",
    "",
  ]);
});
