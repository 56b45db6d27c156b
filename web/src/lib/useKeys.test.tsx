import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { type KeyAction, turnKeys, useKeyMaps, useKeys } from "./useKeys";

afterEach(() => turnKeys(true));

function Page({ keys, isEverywhere }: { keys: KeyAction[]; isEverywhere?: true }) {
  useKeys({ title: "Page", keys, ...(isEverywhere && { isEverywhere }) });
  const maps = useKeyMaps();
  return (
    <>
      <input aria-label="text" />
      <input type="checkbox" aria-label="box" />
      <button type="button">button</button>
      <p>{maps.flatMap((map) => map.keys.map(([key]) => key)).join("|")}</p>
    </>
  );
}

it("runs actions, but not in fields or with modifiers", async () => {
  const act = vi.fn();
  render(<Page keys={[["x", "select", act]]} />);
  await userEvent.keyboard("x");
  expect(act).toHaveBeenCalledTimes(1);
  await userEvent.keyboard("{Control>}x{/Control}{Meta>}x{/Meta}{Alt>}x{/Alt}");
  await userEvent.type(screen.getByLabelText("text"), "x");
  expect(act).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByLabelText("box"));
  await userEvent.keyboard("x");
  expect(act).toHaveBeenCalledTimes(2);
});

it("supports sequences of two keys", async () => {
  const overview = vi.fn();
  const own = vi.fn();
  render(
    <Page
      keys={[
        ["g o", "overview", overview],
        ["o", "own", own],
      ]}
    />,
  );
  await userEvent.keyboard("go");
  expect([overview.mock.calls.length, own.mock.calls.length]).toEqual([1, 0]);
  await userEvent.keyboard("gxo");
  expect([overview.mock.calls.length, own.mock.calls.length]).toEqual([1, 1]);
});

it("leaves Enter to the focused control", async () => {
  const open = vi.fn();
  render(<Page keys={[["Enter", "open", open]]} />);
  screen.getByRole("button").focus();
  await userEvent.keyboard("{Enter}");
  expect(open).not.toHaveBeenCalled();
  screen.getByRole("button").blur();
  await userEvent.keyboard("{Enter}");
  expect(open).toHaveBeenCalledTimes(1);
});

it("does nothing while a dialog is open", async () => {
  const act = vi.fn();
  render(
    <>
      <Page keys={[["x", "select", act]]} />
      <dialog open>List</dialog>
    </>,
  );
  await userEvent.keyboard("x");
  expect(act).not.toHaveBeenCalled();
});

it("lists and prefers shortcuts of the page", async () => {
  const [everywhere, own] = [vi.fn(), vi.fn()];
  const { rerender } = render(<Page keys={[["t", "theme", everywhere]]} isEverywhere />);
  rerender(
    <>
      <Page keys={[["t", "theme", everywhere]]} isEverywhere />
      <Page
        keys={[
          ["j", "next", own],
          ["t", "own", own],
        ]}
      />
    </>,
  );
  expect(screen.getAllByText("j|t|t")).toHaveLength(2);
  await userEvent.keyboard("t");
  expect([everywhere.mock.calls.length, own.mock.calls.length]).toEqual([0, 1]);
});

it("calls the latest action, and none after unmount", async () => {
  const [before, after] = [vi.fn(), vi.fn()];
  const { rerender, unmount } = render(<Page keys={[["x", "select", before]]} />);
  rerender(<Page keys={[["x", "select", after]]} />);
  await userEvent.keyboard("x");
  unmount();
  await userEvent.keyboard("x");
  expect([before.mock.calls.length, after.mock.calls.length]).toEqual([0, 1]);
});

it("can be turned off persistently", async () => {
  const act = vi.fn();
  render(<Page keys={[["x", "select", act]]} />);
  turnKeys(false);
  await userEvent.keyboard("x");
  expect(act).not.toHaveBeenCalled();
});
