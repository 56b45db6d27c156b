/** A mocked server with three regressions, and a signed-in user. */
import type { Page } from "@playwright/test";
import { aChangePoint, aCommit, aRegression, aSession } from "@/test/fixtures";
import type { RegressionDetail } from "../../src/api/types";

const LIST = /\/api\/v1\/projects\/[^/]+\/regressions(\?|$)/;
export const ONE = /\/api\/v1\/projects\/[^/]+\/regressions\/\d+$/;
const MEMBERS = /\/api\/v1\/projects\/[^/]+\/members(\?|$)/;
const TIMELINE = /\/regressions\/\d+\/timeline$/;

const LISTED = [
  aRegression({
    explanation: {
      base_sha: "a".repeat(40),
      change_ns: 810,
      findings: [{ rule: "extra-call", text: "+1.00 `sendmsg` per round trip", explains_ns: 800 }],
      unexplained_ns: 10,
    },
  }),
  aRegression({
    regression_id: 8,
    worst_change: 0.052,
    until_commit: { sha: "c".repeat(40), ordinal: 42 },
    cause: "unknown",
  }),
  aRegression({
    regression_id: 5,
    state: "acknowledged",
    assignee: "ada",
    worst_change: 0.031,
    held_because: "its machine is suspect",
  }),
];

const DETAIL = {
  regression: LISTED[0],
  change_points: [
    aChangePoint({
      witnesses: ["canary wake did not follow: +0.1 %", "same case on lab-2 also changed: +19 %"],
    }),
  ],
  culprits: [
    {
      commit: aCommit({ sha: "b".repeat(40), ordinal: 31, subject: "Copy twice", author: "Ada" }),
      probability: 0.97,
      measured: true,
      names: ["copy"],
    },
  ],
} as RegressionDetail;

/** Mocks a server with three regressions, and a signed-in user; returns the updates it receives. */
export async function withRegressions(page: Page): Promise<{ path: string; body: unknown }[]> {
  const updates: { path: string; body: unknown }[] = [];
  await page.route("**/api/v1/session", (route) => route.fulfill({ json: aSession({ is_admin: true }) }));
  await page.route(MEMBERS, (route) => route.fulfill({ json: { members: [], next_after: null } }));
  await page.route(TIMELINE, (route) => route.fulfill({ json: { entries: [] } }));
  await page.route(LIST, (route) => route.fulfill({ json: { regressions: LISTED, next_after: null } }));
  await page.route(ONE, (route) => {
    const request = route.request();
    if (request.method() === "PATCH") {
      updates.push({ path: new URL(request.url()).pathname, body: request.postDataJSON() });
    }
    return route.fulfill({ json: DETAIL });
  });
  return updates;
}
