import { expect, it } from "vitest";
import { prunedNote } from "./pruned";

const KEPT = { upload_at: null, histograms_at: null, points_at: null };
const AT = "2026-11-14T11:00:00Z";

it("says what is missing, and nothing when nothing is", () => {
  expect(prunedNote(KEPT)).toBeNull();
  expect(prunedNote({ ...KEPT, upload_at: AT })).toContain(
    "its upload, which tells of single repetitions, on 14 Nov 2026",
  );
  expect(prunedNote({ ...KEPT, histograms_at: AT })).toContain("its distributions on 14 Nov 2026");
  expect(prunedNote({ upload_at: AT, histograms_at: AT, points_at: AT })).toContain(
    "Its results were removed",
  );
});
