import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { DataTable, num, tableOf } from "./DataTable";

const showRows = (count: number) => {
  const table = tableOf("numbers", () => Array.from({ length: count }, (_, index) => index), [
    num("Number", "number", (value: number) => value),
  ]);
  render(<DataTable title="Numbers" table={table} />);
};
const rowCount = () => screen.getAllByRole("row").length - 1;

it("shows the first rows, and more on request", () => {
  showRows(120);
  expect(rowCount()).toBe(50);
  fireEvent.click(screen.getByRole("button", { name: "Show 120" }));
  expect(rowCount()).toBe(120);
  expect(screen.queryByText(/^First/)).toBeNull();
});

it("leaves rows of a long table to the CSV", () => {
  showRows(1_001);
  fireEvent.click(screen.getByRole("button", { name: "Show 1,000" }));
  expect(rowCount()).toBe(1_000);
  expect(screen.getByText("First 1,000 of 1,001 rows. The CSV has all.")).toBeTruthy();
});
