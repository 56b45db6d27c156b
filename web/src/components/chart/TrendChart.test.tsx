import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { MARKS } from "@/lib/changes";
import { withLayout } from "@/test/layout";
import { LATENCY } from "./measure";
import type { Change } from "./plottables/Rules";
import { TrendChart } from "./TrendChart";

withLayout(720, 300);

const STOPS = [0, 10, 20, 30, 40];

/** One change of each kind, the most important first. */
const CHANGES = MARKS.map(
  (mark, index): Change => ({
    x: 8 * (index + 1),
    from: mark === "drift" ? 0 : 8 * (index + 1),
    mark,
    label: `a ${mark}`,
    direction: "regressed",
    isQuiet: false,
  }),
);

function marksOf(changes: Change[]) {
  const nothing = () => {};
  const curve = { key: "p50", label: "p50", stroke: "", ink: "", dash: "", width: 1 };
  render(
    <TrendChart
      name="trend"
      label="Latency"
      curves={[{ ...curve, points: STOPS.map((x) => [x, 4000] as const) }]}
      bands={[]}
      boxes={[]}
      marks={[]}
      rules={[]}
      changes={changes}
      stops={STOPS}
      isLogarithmic={false}
      overview={[]}
      extent={[0, 40]}
      onMove={nothing}
      xScale={{ domain: [0, 40], ticks: STOPS }}
      xLabel={String}
      measure={LATENCY}
      pinned={{ x: 40, y: 4000 }}
      onPin={nothing}
      onZoom={nothing}
      onPan={nothing}
      describe={String}
      tooltip={() => null}
    />,
  );
  return [...document.querySelectorAll<SVGGElement>(".change-mark")];
}

it("marks each kind of change with its own line, weight or shape, not only by colour", () => {
  const looks = marksOf(CHANGES).map((mark) => {
    const [line, shape] = mark.querySelectorAll("path");
    const weight = Number(line?.getAttribute("stroke-width"));
    return { dash: line?.getAttribute("stroke-dasharray"), weight, shape: shape?.className.baseVal };
  });
  expect(new Set(looks.map(({ dash }) => dash)).size).toBe(5);
  expect(new Set(looks.map(({ shape }) => shape)).size).toBe(5);
  const [small = 0, tail = 0, known = 0, ...important] = looks.map(({ weight }) => weight);
  expect(Math.max(small, tail, known)).toBeLessThan(Math.min(...important));
});

it("keeps changes without an alert below the others, and without a name", () => {
  const marks = marksOf(CHANGES);
  expect(marks.map(({ dataset }) => dataset.mark)).toEqual(["small", "tail", "known_state", "drift", "step"]);
  expect(marks.map((mark) => mark.querySelector("title")?.textContent)).toEqual([
    "a small",
    "a tail",
    "a known_state",
    "a drift",
    "a step",
  ]);
  expect(marks.map((mark) => mark.querySelector("text")?.textContent)).toEqual([
    undefined,
    undefined,
    undefined,
    "a drift",
    "a step",
  ]);
});

it("shades the range of a drift, also if it ends outside the axis", () => {
  const drifts = CHANGES.filter(({ mark }) => mark === "drift");
  const widths = [20, 80].map((x) => {
    const marks = marksOf(drifts.map((drift) => ({ ...drift, x })));
    return Number(marks.at(-1)?.querySelector("rect")?.getAttribute("width"));
  });
  expect(widths[0]).toBeGreaterThan(0);
  expect(widths[1]).toBeCloseTo(2 * (widths[0] ?? 0));
});
