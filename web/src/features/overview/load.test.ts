import { expect, test } from "vitest";
import { aChangePoint, aRegression } from "@/test/fixtures";
import { rowsOf, shownRegressions } from "./load";

test("lists eight regressions: untriaged first, then by size", () => {
  const many = Array.from({ length: 9 }, (_, index) =>
    aRegression({ regression_id: index, worst_change: index / 100 }),
  );
  const seen = aRegression({ regression_id: 99, worst_change: 0.9, state: "acknowledged" });
  const shown = shownRegressions([seen, ...many]).map(({ regression_id }) => regression_id);
  expect(shown).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

test("shows the series that changed most", () => {
  const detail = {
    regression: aRegression(),
    change_points: [aChangePoint(), aChangePoint({ series_id: 2, change: 0.5 })],
    culprits: [],
  };
  const [row] = rowsOf([aRegression()], [detail]);
  expect(row?.worst?.series_id).toBe(2);
});

test("shows a regression while its details are loading", () => {
  expect(rowsOf([aRegression()], [])).toMatchObject([{ worst: null }]);
});
