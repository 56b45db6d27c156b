/** The profiles of a regression: layout, zoom, search and table. */
import type { Page } from "@playwright/test";
import { aChangePoint, aRegression } from "@/test/fixtures";
import { profile } from "../mock/world/profile";
import type { RegressionDetail } from "../src/api/types";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

const ONE = /\/api\/v1\/projects\/[^/]+\/regressions\/\d+$/;
const PROFILE = /\/api\/v1\/projects\/[^/]+\/regressions\/\d+\/profile$/;

async function withProfile(page: Page): Promise<void> {
  const detail: RegressionDetail = {
    regression: aRegression(),
    change_points: [aChangePoint()],
    culprits: [],
  };
  await page.route(ONE, (route) => route.fulfill({ json: detail }));
  await page.route(PROFILE, (route) => route.fulfill({ json: profile() }));
}

onEveryScreen(() => {
  test("finds the slower function in the flame graph and in the table", async ({ page, report }) => {
    await withProfile(page);
    const graph = page.getByRole("application", { name: /^responder/ });
    await inspectAt(page, `${overviewPath(report)}/regressions/9/profile`, graph);
    const size = await graph.boundingBox();
    if (size === null) throw new Error("The flame graph is not on the screen.");
    // The fifth row: the second half belongs to the callee that became slower.
    await graph.click({ position: { x: size.width * 0.8, y: size.height * (4.5 / 12) } });
    await expect(page.getByText(/^base 1\.27 µs · head 2\.09 µs/)).toBeVisible();
    await graph.press("Escape");
    await expect(page.getByRole("button", { name: "Reset zoom" })).toBeHidden();
    await page.getByRole("searchbox", { name: "Function" }).fill("memmove");
    await expect(page.getByText(/^1 function: 3\.3 % of base, 13\.5 % of head$/)).toBeVisible();
    await page.getByRole("button", { name: "Table" }).click();
    await expect(page.getByRole("cell", { name: "__memmove_avx_unaligned_erms" })).toBeVisible();
    await inspect(page);
  });
});
