import { fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { withLayout } from "@/test/layout";
import { DraggedBarsChart } from "./DraggedBarsChart";

const START = [
  { from: 12, to: 16, count: 40, cumulative: 0.4 },
  { from: 16, to: 64, count: 60, cumulative: 1 },
];

withLayout(720, 264);

function show() {
  const onDrag = vi.fn();
  const Chart = () => {
    const [bars, setBars] = useState(START);
    return (
      <DraggedBarsChart
        name="Messages"
        bars={bars}
        start={START}
        crossings={[]}
        onDrag={(place, count) => {
          onDrag(place, count);
          setBars(bars.map((bar, index) => (index === place ? { ...bar, count } : bar)));
        }}
      />
    );
  };
  render(<Chart />);
  return { onDrag, bars: screen.getAllByRole("slider") };
}

it("is one tab stop with arrow-key navigation", async () => {
  const { onDrag, bars } = show();
  await userEvent.tab();
  expect(document.activeElement).toBe(bars[0]);
  await userEvent.keyboard("{ArrowRight}{ArrowUp}");
  expect(document.activeElement).toBe(bars[1]);
  expect(onDrag.mock.calls).toEqual([[1, 62]]);
  expect(bars[1]?.getAttribute("aria-valuetext")).toBe("62 messages, 60.8 %");
  await userEvent.keyboard("{Delete}");
  expect(onDrag).toHaveBeenLastCalledWith(1, 0);
  expect(document.querySelectorAll(".before")).toHaveLength(1);
  await userEvent.keyboard("{Home}");
  await userEvent.tab();
  expect(bars).not.toContain(document.activeElement);
});

it("follows the pointer, but lets touches elsewhere scroll", () => {
  const { onDrag, bars } = show();
  const [bar] = bars;
  const column = bar?.querySelector(".column");
  if (bar === undefined || column == null) throw new Error("There is a bar.");
  bar.setPointerCapture = () => {};
  const pointer = (type: string, pointerType: string, clientY: number) =>
    fireEvent(
      column,
      Object.assign(new MouseEvent(type, { bubbles: true, clientY }), { pointerType, pointerId: 1 }),
    );
  pointer("pointerdown", "touch", 10);
  expect(onDrag).not.toHaveBeenCalled();
  pointer("pointerdown", "mouse", 10);
  pointer("pointermove", "mouse", 10_000);
  expect(onDrag.mock.calls).toEqual([
    [0, 75],
    [0, 0],
  ]);
  pointer("pointerup", "mouse", 10_000);
  pointer("pointermove", "mouse", 10);
  expect(onDrag).toHaveBeenCalledTimes(2);
});
