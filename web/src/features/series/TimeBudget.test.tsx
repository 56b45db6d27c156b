import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, it, vi } from "vitest";
import type { BudgetSeries } from "@/api/types";
import { budgetsOf, formatEvents, partsIn } from "@/lib/budget";
import { formatDividedNs } from "@/lib/units";
import { aBudgetSeries, aSeries } from "@/test/fixtures";
import { withLayout } from "@/test/layout";
import { showPage } from "@/test/page";
import { mockServer } from "@/test/server";
import { budgetTable, quartilesText, TimeBudget } from "./TimeBudget";

withLayout(720, 240);
const { server } = mockServer();

/** Shows the section with this answer; returns the number of requests. */
async function show(series: BudgetSeries, onPin = vi.fn()) {
  const asked = vi.fn();
  server.use(
    http.get("*/api/v1/charts/budget", ({ request }) => {
      asked(new URL(request.url).search);
      return HttpResponse.json({ series: [series] });
    }),
  );
  await showPage(
    <>
      <h1>Series</h1>
      <TimeBudget
        series={aSeries()}
        extent={[1, 40]}
        range={[10, 20]}
        pinned_x={12}
        changes={[]}
        onPin={onPin}
        onRange={() => {}}
      />
    </>,
  );
  return asked;
}

it("shows the parts of the pinned commit, and loads the shown range", async () => {
  const asked = await show(aBudgetSeries([11, 12, 15]));
  const chart = await screen.findByRole("slider");
  expect(chart.getAttribute("aria-valuetext")).toBe(
    "commit 12, 10.0 µs: sender 50 %, receiver 40 %, waiting 9 %, asleep 1 %",
  );
  expect(chart.getAttribute("aria-valuenow")).toBe("2");
  expect(chart.querySelectorAll("path.stack")).toHaveLength(6);
  expect(screen.getByRole("list", { name: "Legend" }).children).toHaveLength(6);
  expect(asked).toHaveBeenCalledWith("?series=1&from=10&to=20&last=500");
});

it("has no section without budgets", async () => {
  const asked = await show(aBudgetSeries([]));
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  await vi.waitFor(() => expect(screen.queryByText("Where the time goes")).toBeNull());
});

it.each([
  ["their unit once", 845, 906, formatDividedNs, " [845, 906]"],
  ["both units if they differ", 980, 1540, formatDividedNs, " [980 ns, 1.54 µs]"],
  ["rare events", 0.0001, 0.0062, formatEvents, " [< 0.001, 0.006]"],
  ["nothing if they are the same", 0, 0, formatEvents, ""],
])("writes quartiles with %s", (_, q1, q3, format, text) => {
  expect(quartilesText({ q1, q3 }, format).replaceAll("\u00a0", " ")).toBe(text);
});

it("lists means, quartiles and events in the table, the newest commit first", () => {
  const budgets = budgetsOf(aBudgetSeries([11, 12]));
  const { columns, rows, fileName } = budgetTable(aSeries(), budgets, partsIn(budgets));
  expect(fileName).toMatch(/-time-budget$/);
  const cells = rows().map(({ csv }) =>
    Object.fromEntries(columns.map(({ csvName }, place) => [csvName, csv[place]])),
  );
  expect(cells.map(({ commit_ordinal }) => commit_ordinal)).toEqual([12, 11]);
  expect(cells[0]).toMatchObject({
    elapsed_ns: 10_000,
    sender_kernel_ns: 5000,
    sender_kernel_ns_q1: 4500,
    overlap_ns: 1000,
    waits_per_message: 2,
    migrations_per_message: null,
  });
});
