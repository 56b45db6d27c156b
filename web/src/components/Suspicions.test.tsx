import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { suspicionsQuery } from "@/api/queries";
import type { Suspicion } from "@/api/types";
import { aSuspicion } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { Suspicions } from "./Suspicions";

async function show(suspicions: Suspicion[]) {
  await showPage(
    <>
      <h1>Changes</h1>
      <Suspicions project="libfoo" />
    </>,
    [[suspicionsQuery("libfoo", { state: "waiting" }).queryKey, { suspicions, next_after: null }]],
  );
  return screen.queryAllByRole("listitem").map(({ textContent }) => textContent);
}

it("shows the estimate, the machine and how long the confirmation takes", async () => {
  const lines = await show([
    aSuspicion(),
    aSuspicion({ suspicion_id: 2, job_status: "queued", job_seconds: null }),
  ]);
  expect(lines).toEqual([
    "Likely 87f34d3, +21 % on lab-1; confirming, about 2 min",
    "Likely 87f34d3, +21 % on lab-1; queued for confirmation",
  ]);
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(links[0]).toBe("/libfoo/jobs/5");
});

it("shows the command if no agent can confirm", async () => {
  const base = "b".repeat(40);
  const [line] = await show([
    aSuspicion({
      job_id: null,
      job_status: null,
      job_seconds: null,
      base_commit: { sha: base, ordinal: 29 },
    }),
  ]);
  expect(line).toContain(
    `no agent can confirm it. Run there:roundtrip ab --of revision --base bbbbbbbbbbbb --head ${aSuspicion().commit.sha.slice(0, 12)}`,
  );
});

it("counts further cases", async () => {
  const [first] = aSuspicion().cases;
  if (first === undefined) throw new Error("a suspicion has a case");
  expect(await show([aSuspicion({ cases: [first, { ...first, series_id: 8, change: 0.1 }] })])).toEqual([
    "Likely 87f34d3, +21 % in 2 cases on lab-1; confirming, about 2 min",
  ]);
});

it("shows nothing without suspicions", async () => {
  expect(await show([])).toEqual([]);
});
