import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { LineChoice } from "./LineChoice";
import { lineStyle } from "./lines";

const LINES = [
  { key: "pipe", label: "pipe", style: lineStyle(0), isShown: true },
  { key: "tcp", label: "tcp", style: lineStyle(1), isShown: false },
];

it("each line has a toggle button, also by keyboard", async () => {
  const [onToggle, onPoint] = [vi.fn(), vi.fn()];
  render(<LineChoice label="Lines" lines={LINES} onToggle={onToggle} onPoint={onPoint} />);
  const pressed = screen.getAllByRole("button").map((button) => button.getAttribute("aria-pressed"));
  expect(pressed).toEqual(["true", "false"]);
  await userEvent.tab();
  expect(onPoint).toHaveBeenLastCalledWith("pipe");
  await userEvent.tab();
  // A hidden line cannot be highlighted.
  expect(onPoint).toHaveBeenLastCalledWith(null);
  await userEvent.keyboard("{Enter}");
  expect(onToggle).toHaveBeenCalledExactlyOnceWith("tcp");
});
