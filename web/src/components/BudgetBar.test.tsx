import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { budgetsOf } from "@/lib/budget";
import { aBudgetSeries } from "@/test/fixtures";
import { BudgetBar } from "./BudgetBar";

it("names its shares, and has one piece for each part with time", () => {
  const none = { mean: [0], q1: [0], q3: [0] };
  const [budget] = budgetsOf(aBudgetSeries([7], { ready: none }));
  if (budget === undefined) throw new Error("no budget");
  render(<BudgetBar budget={budget} />);
  const bar = screen.getByRole("img", {
    name: "sender 55 %, receiver 44 %, asleep 1 %; both sides ran together for 11 % of the time",
  });
  const widths = [...bar.querySelectorAll("rect")].map((piece) =>
    Number.parseFloat(piece.getAttribute("width") ?? ""),
  );
  expect(widths).toHaveLength(5);
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100);
});
