import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionQuery } from "@/api/queries";
import type { MachineMovement, Movement, SessionInfo } from "@/api/types";
import { aComparison, aMovement } from "@/test/comparisons";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { MachineMovements } from "./MachineMovements";

const wake = (change: number) => ({ kind: "canary", name: "wake", change });

async function show(machines: MachineMovement[], session: SessionInfo = aSession(null)) {
  await showPage(
    <>
      <h1>Compare</h1>
      <MachineMovements project="libfoo" comparison={aComparison([], { machines })} />
    </>,
    [[sessionQuery.queryKey, session]],
  );
  return screen.queryAllByRole("paragraph").map(({ textContent }) => textContent?.replaceAll("\u00a0", " "));
}

const on = (machine: string, moved: Movement | null): MachineMovement => ({ machine, moved });

it("shows machines that moved, and what follows for verdicts", async () => {
  const control = { kind: "control", name: "pipe 64 B same-cpu", change: -0.12 };
  const lines = await show([
    on("lab-1", aMovement({ movement: 0.23, references: [wake(0.23), control], moved_count: 4 })),
    on("lab-2", aMovement({ movement: 0.057, references: [wake(0.057)] })),
    on("lab-3", aMovement({ movement: 0.004, references: [wake(0.004)] })),
    on("lab-4", null),
  ]);
  expect(lines).toEqual([
    "Machine lab-1 moved: canary wake +23.0 %, control pipe 64 B same-cpu \u221212.0 % and 2 more. Not comparable; run a paired A/B.",
    "Machine lab-2 moved: canary wake +5.7 %. Only larger changes count. A paired A/B finds smaller ones.",
  ]);
  expect(screen.getAllByRole("paragraph").map(({ className }) => className)).toEqual([
    "lede warning",
    "lede",
  ]);
  expect(screen.queryByRole("link")).toBeNull();
});

it("links to a paired A/B for users who may queue jobs", async () => {
  await show([on("lab-1", aMovement({ movement: 0.23 }))], aSession({ is_admin: true }));
  const link = screen.getByRole("link", { name: "paired A/B" });
  expect(link.getAttribute("href")).toMatch(/^\/libfoo\/measure\?commits=b{40}&base=a{40}$/);
});
