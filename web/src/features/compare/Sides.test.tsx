import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { commitsQuery } from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { aCommit } from "@/test/fixtures";
import type { Side } from "./load";
import { CommitPicker } from "./Sides";

const NEWEST = aCommit({ sha: "b".repeat(40), ordinal: 31, subject: "ring: two copies" });
const OLDER = aCommit({ sha: "a".repeat(40), ordinal: 30 });

/** A picker with two known commits; the first matches `ring`. */
function show(side?: Side) {
  const queryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const known = (query: { q?: string }, commits: CommitSummary[]) =>
    queryClient.setQueryData(commitsQuery("libfoo", { limit: 20, ...query }).queryKey, {
      commits,
      next_after: null,
    });
  known({}, [NEWEST, OLDER]);
  for (const q of ["r", "ri", "rin", "ring"]) known({ q }, [NEWEST]);
  const onPick = vi.fn();
  render(
    <QueryClientProvider client={queryClient}>
      <CommitPicker project="libfoo" label="Head" side={side} onPick={onPick} />
    </QueryClientProvider>,
  );
  return { onPick, field: screen.getByRole("combobox", { name: "Head" }) };
}

it("works with the keyboard", async () => {
  const { onPick, field } = show();
  await userEvent.tab();
  expect(field.getAttribute("aria-expanded")).toBe("false");
  await userEvent.keyboard("{ArrowDown}");
  expect(screen.getAllByRole("option")).toHaveLength(2);
  await userEvent.keyboard("{ArrowDown}");
  const second = screen.getByRole("option", { selected: true });
  expect(second.textContent).toContain("aaaaaaa");
  expect(field.getAttribute("aria-activedescendant")).toBe(second.id);
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  expect(onPick.mock.calls).toEqual([["a".repeat(40)]]);
});

it("searches by message, and selects with a click", async () => {
  const { onPick, field } = show();
  await userEvent.type(field, "ring");
  const options = await screen.findAllByRole("option");
  expect(options).toHaveLength(1);
  await userEvent.click(screen.getByText("ring: two copies"));
  expect(onPick).toHaveBeenCalledWith("b".repeat(40));
});

it("accepts a full hash and a run id that are not in the list", async () => {
  const { onPick, field } = show({ name: OLDER.sha, commit: OLDER, isRun: false });
  expect(field).toHaveProperty("value", "aaaaaaa pool: reuse send buffers");
  const runId = "019aa8f0-5c1e-7b3a-9f00-000000000001";
  for (const text of ["c".repeat(40), runId]) {
    await userEvent.click(field);
    await userEvent.paste(text);
    await userEvent.keyboard("{Enter}");
  }
  expect(onPick.mock.calls).toEqual([["c".repeat(40)], [runId]]);
});
