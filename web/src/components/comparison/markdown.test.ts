import { expect, it } from "vitest";
import { aComparison, aMovement, aPair } from "@/test/comparisons";
import { aCommit } from "@/test/fixtures";
import { markdownOf } from "./markdown";

const LINK = "https://roundtrip.example/l/0123456789";

const SLOWER = aPair({
  transport: "unix-stream",
  verdict: "regressed",
  change: 0.154,
  change_interval: [0.121, 0.189],
});
const KERNEL = { what: "environment.os.kernel", base: "6.1", head: "6.2" };

it("has the headline, changed rows first, reasons and a link", () => {
  const comparison = aComparison([
    aPair({ verdict: "inconclusive", undecided: "too few repetitions a side: has 2, needs 4" }),
    aPair(),
    SLOWER,
    aPair({ verdict: "not comparable", change: null, differences: [KERNEL] }),
  ]);
  expect(markdownOf(comparison, LINK).split("\n")).toEqual([
    "**1 KiB messages over unix-stream got 15.4 % slower (95 % CI 12.1 to 18.9) on lab-1; 1 of 3 cases changed.**",
    "",
    "Base `aaaaaaa` pool: reuse send buffers, head `bbbbbbb` ring: two copies. 1 slower, 1 inconclusive, 1 unchanged; 1 not comparable.",
    "",
    "| Verdict | Case | Machine | Base p50 | Head p50 | Change | 95 % CI | Remarks |",
    "|---|---|---|--:|--:|--:|--:|---|",
    "| 🔴 slower | unix-stream round trip 1 KiB, two processes, same CPU | lab-1 | 4.00 µs | 4.00 µs | +15.4 % | 12.1 to 18.9 |  |",
    "| inconclusive | pipe round trip 1 KiB, two processes, same CPU | lab-1 | 4.00 µs | 4.00 µs | +0.1 % | −0.4 to 0.6 | too few repetitions a side: has 2, needs 4 |",
    "",
    "Not comparable:",
    "",
    "- 1 case: kernel: 6.1 vs 6.2",
    "",
    `[Full comparison](${LINK})`,
    "",
  ]);
});

it("says after the headline which machine moved", () => {
  const machines = [{ machine: "lab-1", moved: aMovement({ movement: 0.23 }) }];
  const lines = markdownOf(aComparison([aPair()], { machines }), LINK).split("\n");
  expect(lines.slice(1, 4)).toEqual([
    "",
    "Machine lab-1 moved: canary wake +23.0 %. Not comparable; run a paired A/B.",
    "",
  ]);
});

it("has no table if nothing changed", () => {
  expect(markdownOf(aComparison([aPair()]), LINK)).not.toContain("|");
});

it("fits into a comment, keeps the worst rows, and counts omitted ones", () => {
  const pairs = Array.from({ length: 5000 }, (_, index) => ({ ...SLOWER, change: 0.1 + index / 10_000 }));
  const reasons = Array.from({ length: 300 }, (_, index) =>
    aPair({
      verdict: "not comparable",
      change: null,
      differences: [{ ...KERNEL, head: `${index} ${"µ".repeat(400)}` }],
    }),
  );
  const text = markdownOf(aComparison([...pairs, ...reasons]), LINK);
  expect(new TextEncoder().encode(text).length).toBeLessThan(60_000);
  const rows = text.split("\n").filter((line) => line.startsWith("| 🔴")).length;
  expect(rows).toBeGreaterThan(200);
  expect(text).toContain("+60.0 %");
  expect(text).toContain(`${(5000 - rows).toLocaleString("en")} more rows in the full comparison.`);
  expect(text).toContain("- 280 more reasons");
  expect(text).toContain(LINK);
});

it("escapes names, so that they cannot create tables, links or mentions", () => {
  const subject = "a|b [x](y) @team <img>\n# `z`";
  const comparison = aComparison([SLOWER], {
    head: { commit: aCommit({ sha: "b".repeat(40), subject }), run_id: null, case_count: 1 },
  });
  expect(markdownOf(comparison, LINK)).toContain(
    "head `bbbbbbb` a\\|b \\[x\\](y) &#64;&#8203;team \\<img\\> \\# \\`z\\`. 1 slower.",
  );
});
