import { expect, it } from "vitest";
import { aComparison, aPair } from "@/test/comparisons";
import { groupsOf, lossOf } from "./differences";

type Difference = { what: string; base: string; head: string };

const not = (differences: Difference[], reasons: string[] = []) =>
  aPair({ verdict: "not comparable", change: null, differences, reasons });

const KERNEL = { what: "environment.os.kernel", base: "6.12.4", head: "6.12.9" };
const RECEIVE = { what: "receive", base: "block", head: "absent" };

it("groups what has the same reasons, the most cases first, in words", () => {
  const { not_compared, pairs } = aComparison([
    not([RECEIVE]),
    not([KERNEL]),
    aPair(),
    not([KERNEL]),
    not([KERNEL, RECEIVE]),
    not([{ what: "environment.memory.total_gib", base: "8", head: "16" }]),
    not([], ["not in the head"]),
  ]);
  const groups = groupsOf({ not_compared, pairs: pairs.slice(0, 5) });
  expect(groups.map(({ title, count }) => [count, title])).toEqual([
    [2, "kernel: 6.12.4 against 6.12.9"],
    [1, "who waits to receive: blocks against not told"],
    [1, "kernel: 6.12.4 against 6.12.9; who waits to receive: blocks against not told"],
    [1, "memory total gib: 8 against 16"],
    [1, "not measured in the head"],
  ]);
  // Of those that are not here it is known how many there are.
  expect(groups.map((group) => group.pairs.length)).toEqual([2, 1, 1, 0, 0]);
});

it("puts losses together, however many messages each lost", () => {
  const lost = (head: string) => not([{ what: "delivered", base: "all 4000", head }]);
  const pairs = [lost("3997 of 4000 (99.9250 %)"), lost("12 of 4000 (0.3000 %)")];
  const groups = groupsOf(aComparison(pairs));
  expect(groups.map(({ title, count }) => [count, title])).toEqual([[2, "messages were lost or altered"]]);
  expect(groups[0]?.pairs).toHaveLength(2);
  expect(lossOf(lost("3997 of 4000"))).toBe("arrived all 4000 against 3997 of 4000");
});
