/** Machines: from the overview to one of them, its canaries and its queue. */
import type { Page } from "@playwright/test";
import { aJob, anAgent, aReading } from "@/test/fixtures";
import { inspect, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

const CANARIES = /\/machines\/[^/]+\/canaries\?/;
const HISTORY = /\/machines\/[^/]+\/history$/;
const ENVIRONMENTS = /\/machines\/[^/]+\/environments$/;
const AGENTS = /\/api\/v1\/projects\/[^/]+\/agents\?/;
const JOBS = /\/api\/v1\/projects\/[^/]+\/jobs\?/;
const HOUR_MS = 3_600_000;

/** Five days: a new kernel on the third, a drift on the last. */
const DAYS = ["steady", "steady", "steady", "known-state", "drift"].map((state, place) => ({
  day: `2026-11-2${place}`,
  run_count: 4,
  state,
  because: state === "drift" ? "canary wake +13 %" : null,
  environment_id: place < 2 ? 1 : 2,
  detectable_change: 0.02 + place / 1_000,
}));
const TRANSPORTS = [
  { transport: "fifo", case_count: 2, detectable_change: null },
  { transport: "pipe", case_count: 3, detectable_change: 0.018 },
];

/** Twenty hourly runs: `wake` is slower in the last five, and the kernel changes in the middle. */
function history(machine: string) {
  const now = Date.now();
  const readings = Array.from({ length: 20 }, (_, place) =>
    aReading({
      run_id: `01900000-0000-7000-8000-0000000000${place + 10}`,
      started_at: new Date(now - (20 - place) * HOUR_MS).toISOString(),
      commit_ordinal: place + 1,
      environment_id: place < 8 ? 1 : 2,
      p50_ns: { wake: place < 15 ? 4000 : 4400, "null-syscall": 210 },
    }),
  );
  return { machine, readings };
}

/** Mocks a server with a recently changed machine, two queued jobs and one finished. */
async function withMachine(page: Page, machine: string): Promise<void> {
  await page.route(CANARIES, (route) => route.fulfill({ json: history(machine) }));
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const waiting = [
    aJob({ job_id: 8, machine, reason: "repeat", starts_at: inMinutes(20) }),
    aJob({ job_id: 7, machine, starts_at: inMinutes(10) }),
  ];
  const done = aJob({
    job_id: 3,
    machine,
    status: "done",
    done_at: "2026-11-24T10:31:00Z",
    done_by_run_id: "01900000-0000-7000-8000-000000000001",
  });
  const agents = [anAgent({ machine })];
  await page.route(AGENTS, (route) => route.fulfill({ json: { agents, next_after: null } }));
  await page.route(JOBS, (route) => {
    const isDone = route.request().url().includes("done=true");
    return route.fulfill({ json: { jobs: isDone ? [done] : waiting, next_after: null } });
  });
  await page.route(HISTORY, (route) =>
    route.fulfill({ json: { machine, days: DAYS, transports: TRANSPORTS } }),
  );
  const environments = ["6.12.4", "6.12.9"].map((kernel, index) => ({
    environment_id: index + 1,
    first_run_at: "2026-11-20T10:00:00Z",
    last_run_at: "2026-11-24T10:00:00Z",
    run_count: 9,
    stable: { "os.kernel": kernel },
  }));
  await page.route(ENVIRONMENTS, (route) => route.fulfill({ json: { environments } }));
}

onEveryScreen(() => {
  test("from the overview to the machines and to one of them", async ({ page, report }) => {
    const machine = report.machine.slug;
    await withMachine(page, machine);
    await page.goto(overviewPath(report));
    const machines = page.getByRole("region", { name: "Machines", exact: true });
    await expect(machines).toContainText("2 queued");
    await inspect(page);
    await machines.getByRole("link", { name: "All machines" }).click();

    await expect(page.getByRole("heading", { level: 1 })).toContainText(machine);
    await expect(page.getByRole("region", { name: "Machines", exact: true })).toContainText("2 queued");
    await inspect(page);

    await page.getByRole("main").getByRole("link", { name: "Queue", exact: true }).click();
    const queue = page.getByRole("region", { name: "Queued", exact: true });
    await expect(queue.getByRole("row").nth(1)).toContainText("bisection, change 9");
    await expect(queue.getByRole("row").nth(2)).toContainText("confirmation run");
    await expect(queue.getByRole("row").nth(2)).toContainText(/in about (19|20) min/);
    await expect(page.getByRole("region", { name: "Finished", exact: true })).toContainText("30 min");
    await inspect(page);

    await page.goBack();
    await page.getByRole("rowheader", { name: machine }).getByRole("link").click();
    const drift = page.getByRole("region", { name: "Canary drift" });
    await expect(drift.getByRole("region", { name: /^wake/ })).toContainText("+10 % vs previous 7");
    await expect(drift.getByRole("region", { name: /^null-syscall/ })).toContainText(
      "unchanged vs previous 7",
    );
    await expect(drift.getByRole("img", { name: /^wake over 20 runs: 4\.40 µs now/ })).toBeVisible();
    const changes = page.getByRole("region", { name: "Environment history", exact: true });
    await expect(changes.getByRole("row").nth(1)).toContainText("22 Nov 2026os.kernel6.12.46.12.9");
    const state = page.getByRole("region", { name: "State", exact: true });
    await expect(
      state.getByRole("img", { name: "Last 5 days: 1 drift, 1 known state, 3 steady" }),
    ).toBeVisible();
    const detectable = page.getByRole("region", { name: "Detects ≥ 2.4 %", exact: true });
    await expect(detectable.getByRole("row").nth(1)).toContainText("pipe3≥ 1.8 %");
    await inspect(page);
  });
});

test("canaries are shown as a table and over a longer range, and the address keeps both", async ({
  page,
  report,
}) => {
  const machine = report.machine.slug;
  await withMachine(page, machine);
  await page.goto(`${overviewPath(report)}/machines/${machine}`);
  const drift = page.getByRole("region", { name: "Canary drift" });
  await drift.getByRole("button", { name: "Table" }).click();
  await expect(drift.getByRole("row")).toHaveCount(21);
  await expect(drift.getByRole("row").nth(1)).toContainText("4.40 µs");
  await drift.getByRole("button", { name: "1,000 runs" }).click();
  await expect(page).toHaveURL(/last=1000/);
  await page.reload();
  await expect(drift.getByRole("button", { name: "1,000 runs" })).toHaveAttribute("aria-pressed", "true");
  await expect(drift.getByRole("row")).toHaveCount(21);
});

test("real responses of the server are shown", async ({ page, report }) => {
  const machine = report.machine.slug;
  await page.goto(`${overviewPath(report)}/machines`);
  await expect(page.getByText(/Queue: no jobs\./)).toBeVisible();
  await page.getByRole("rowheader", { name: machine }).getByRole("link").click();
  const drift = page.getByRole("region", { name: "Canary drift" });
  for (const { slug, p50_ns } of report.canaries ?? []) {
    if (p50_ns != null) await expect(drift.getByRole("heading", { name: slug })).toBeVisible();
  }
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${machine}: stable`);
});

test("an unknown machine is reported", async ({ page, report, complaints }) => {
  await page.goto(`${overviewPath(report)}/machines/nowhere`);
  await expect(page.getByText(`${report.project} has no machine nowhere.`)).toBeVisible();
  // The browser logs the error page.
  complaints.length = 0;
});
