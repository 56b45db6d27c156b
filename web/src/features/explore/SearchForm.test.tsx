import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SearchForm } from "./SearchForm";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const field = () => screen.getByRole<HTMLInputElement>("searchbox");
const wait = () => act(() => vi.advanceTimersByTime(1000));

function type(text: string) {
  fireEvent.change(field(), { target: { value: text } });
}

it("searches after a pause, with one history entry per edit", () => {
  const onSearch = vi.fn();
  render(<SearchForm text="" notes={[]} onSearch={onSearch} />);
  fireEvent.focus(field());
  type("pi");
  type("pipe");
  wait();
  type("pipe p99");
  wait();
  expect(onSearch.mock.calls).toEqual([
    ["pipe", false],
    ["pipe p99", true],
  ]);
  fireEvent.focus(field());
  type("fifo");
  wait();
  expect(onSearch).toHaveBeenLastCalledWith("fifo", false);
});

it("shows an error instead of searching", () => {
  const onSearch = vi.fn();
  render(<SearchForm text="" notes={[]} onSearch={onSearch} />);
  type("colour:red");
  wait();
  expect(onSearch).not.toHaveBeenCalled();
  expect(screen.getByRole("status").textContent).toMatch(/^At character 1: expected one of transport:/);
  expect(field().getAttribute("aria-invalid")).toBe("true");
});

it("follows the address without searching again", () => {
  const onSearch = vi.fn();
  const { rerender } = render(<SearchForm text="pipe" notes={[]} onSearch={onSearch} />);
  rerender(<SearchForm text="" notes={["No series here has os:beos"]} onSearch={onSearch} />);
  wait();
  expect(field().value).toBe("");
  expect(screen.getByRole("status").textContent).toMatch(/os:beos/);
  expect(onSearch).not.toHaveBeenCalled();
});

it("searches immediately with Enter", () => {
  const onSearch = vi.fn();
  render(<SearchForm text="" notes={[]} onSearch={onSearch} />);
  type("pipe");
  fireEvent.submit(field());
  wait();
  expect(onSearch.mock.calls).toEqual([["pipe", false]]);
});
