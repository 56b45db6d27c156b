import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { SeriesSummary } from "@/api/types";
import { useRowKeys } from "@/lib/useRowKeys";
import { aSeries } from "@/test/fixtures";
import { SeriesTable, type ValueColumn } from "./SeriesTable";
import type { ListSearch, Trait } from "./search";

const describe = (series: SeriesSummary) => series;
const keyOf = ({ series_id }: SeriesSummary) => series_id;
const SELECT: ValueColumn<SeriesSummary>[] = [
  {
    key: "select",
    head: "Select",
    isFirst: true,
    cell: (_, name) => <input type="checkbox" aria-label={`Select ${name}`} />,
  },
];
const SERIES = ([64, 4096, 1024] as const).map((message_bytes, index) =>
  aSeries({ series_id: index, case: { message_bytes } }),
);

type Props = { rows: SeriesSummary[]; start?: ListSearch; group?: Trait };

function List({ rows, start = {}, ...rest }: Props) {
  const [search, setSearch] = useState<ListSearch>(start);
  useRowKeys("Rows", { isSelectable: true });
  return (
    <SeriesTable
      label="Series"
      rows={rows}
      keyOf={keyOf}
      describe={describe}
      link={({ series_id }, row) => <a href={`#${series_id}`} {...row} />}
      columns={SELECT}
      search={search}
      {...rest}
      onSearch={(change) => setSearch((before) => ({ ...before, ...change }) as ListSearch)}
    />
  );
}

const names = () => screen.getAllByRole("rowheader").map(({ textContent }) => textContent);

it("sorts by a column, and marks it", async () => {
  render(<List rows={SERIES} />);
  expect(names()).toEqual(["64 B", "4 KiB", "1 KiB"]);
  const header = screen.getByRole("columnheader", { name: "Size" });
  await userEvent.click(within(header).getByRole("button"));
  expect(names()).toEqual(["64 B", "1 KiB", "4 KiB"]);
  expect(header.getAttribute("aria-sort")).toBe("ascending");
  await userEvent.click(within(header).getByRole("button"));
  expect(names()).toEqual(["4 KiB", "1 KiB", "64 B"]);
});

it("adds a column from the menu, and no longer repeats it above", async () => {
  render(<List rows={SERIES} start={{ columns: "size.mode" }} />);
  expect(screen.getByText(/^All: /).textContent).not.toContain("two processes");
  expect(screen.getAllByRole("cell", { name: "two processes" })).toHaveLength(3);
});

it("moves through rows and selects one by keyboard", async () => {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 10, 10));
  render(<List rows={SERIES} />);
  await userEvent.keyboard("jj");
  expect(document.activeElement?.textContent).toBe("4 KiB");
  await userEvent.keyboard("{ArrowUp}x");
  expect(document.activeElement?.textContent).toBe("64 B");
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Select 64 B" }).checked).toBe(true);
  await userEvent.keyboard("k");
  expect(document.activeElement?.textContent).toBe("64 B");
  vi.restoreAllMocks();
});

it("keeps only a part of 10,000 rows in the document, and states their number", () => {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(33);
  window.scrollTo = () => {};
  const many = Array.from({ length: 10_000 }, (_, index) =>
    aSeries({ series_id: index, case: { message_bytes: index + 1 } }),
  );
  render(<List rows={many} />);
  expect(document.querySelectorAll("[data-row]").length).toBeLessThan(100);
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
  vi.restoreAllMocks();
});

it("groups by default only if rows share the value", () => {
  const { unmount } = render(
    <List rows={[...SERIES, aSeries({ series_id: 9, transport: "tcp" })]} group="transport" />,
  );
  expect(screen.getByRole("button", { name: "pipe", expanded: true })).toBeTruthy();
  unmount();
  render(<List rows={[aSeries(), aSeries({ series_id: 9, transport: "tcp" })]} group="transport" />);
  expect(screen.queryByRole("button", { expanded: true })).toBeNull();
  expect(names()).toEqual(["pipe", "tcp"]);
});
