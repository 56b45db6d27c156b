import { expect, it } from "vitest";
import { prunedNote } from "./pruned";

const KEPT = { upload_at: null, histograms_at: null, points_at: null };
const AT = "2026-11-14T11:00:00Z";

it("lists deleted data, if any", () => {
  expect(prunedNote(KEPT)).toBeNull();
  expect(prunedNote({ ...KEPT, upload_at: AT })).toContain("upload and repetitions on 14 Nov 2026");
  expect(prunedNote({ ...KEPT, histograms_at: AT })).toContain("distributions on 14 Nov 2026");
  expect(prunedNote({ upload_at: AT, histograms_at: AT, points_at: AT })).toContain("Results deleted on");
});
