/**
 * Moves through the rows of a page by keyboard: `j` and `k`, or arrows within the rows. Enter follows the focused link.
 * Rows have the attribute `data-row`, their link `data-row-link`.
 */
import { type KeyAction, useKeys } from "./useKeys";

type Options = {
  /** Whether rows have a checkbox. */
  isSelectable?: boolean;
};

const ROW = "[data-row]";

export function useRowKeys(title: string, { isSelectable = false }: Options = {}): void {
  const select: KeyAction[] = isSelectable ? [["x", "select the row", toggle]] : [];
  useKeys({
    title,
    keys: [["j", "next row", () => move(1)], ["k", "previous row", () => move(-1)], ...select],
  });
}

/** Handles arrows within rows. */
export function onRowKeyDown(event: { key: string; target: EventTarget; preventDefault: () => void }): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || !(event.target instanceof Element) || event.target.closest(ROW) === null) return;
  event.preventDefault();
  move(by);
}

function move(by: number): void {
  const rows = [...document.querySelectorAll(ROW)];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  // Without a focused row, the first that is in sight.
  const next = at === -1 ? rows.find((row) => row.getBoundingClientRect().top >= 0) : rows[at + by];
  next?.querySelector<HTMLElement>("[data-row-link]")?.focus();
}

function toggle(): void {
  document.activeElement?.closest(ROW)?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}
