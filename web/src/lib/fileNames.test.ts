import { expect, it } from "vitest";
import { anImportedSeries, aSeries } from "@/test/fixtures";
import { fileName, subjectOf } from "./fileNames";

it("names a series, or only its case", () => {
  const series = aSeries();
  const { machine, transport, case: kase } = series;
  expect(fileName(series)).toBe(
    [machine, kase.scenario, transport.slug, kase.mode, kase.placement, kase.message_bytes].join("-"),
  );
  expect(fileName({ case: kase })).toBe(
    [kase.scenario, kase.mode, kase.placement, kase.message_bytes].join("-"),
  );
  expect(subjectOf(series)).toMatch(new RegExp(`^${transport.slug}, .*, ${machine}$`));
});

it("leaves out characters that file systems reject", () => {
  expect(fileName(anImportedSeries())).toMatch(/^[\p{L}\p{N}._-]+$/u);
});
