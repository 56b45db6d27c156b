import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { pointDetailQuery } from "@/api/queries";
import { aPoint, aPointDetail, aRepetition, aSeries } from "@/test/fixtures";
import { withLayout } from "@/test/layout";
import { showPage } from "@/test/page";
import { BeforeAfter } from "./BeforeAfter";

withLayout(720, 300);

const HISTOGRAM = [
  { from_ns: 2048, to_ns: 4096, count: 1500 },
  { from_ns: 4096, to_ns: 8192, count: 500 },
];
const REPETITIONS = Array.from({ length: 8 }, (_, index) => aRepetition({ index, p50_ns: 4000 + index }));
const DETAIL = aPointDetail({ point: aPoint(), histogram: HISTOGRAM, repetitions: REPETITIONS });
const DELETED = aPointDetail({
  point: aPoint(),
  repetitions: [],
  pruned: { upload_at: null, histograms_at: "2026-02-03T00:00:00Z", points_at: null },
});

const show = (before: typeof DETAIL) => {
  const [old, current] = ["1", "2"].map((runId) => ({ runId, seriesId: 1, label: `#${runId}` })) as [
    { runId: string; seriesId: number; label: string },
    { runId: string; seriesId: number; label: string },
  ];
  return showPage(
    <BeforeAfter title="Distribution" name="distribution" of={aSeries()} before={old} after={current} />,
    [
      [pointDetailQuery("1", 1).queryKey, before],
      [pointDetailQuery("2", 1).queryKey, DETAIL],
    ],
  );
};

it("shows both distributions and the shift with its interval", async () => {
  await show(DETAIL);
  expect(screen.getByText(/^#1: 2,000 operations in 10 repetitions\. #2: 2,000/)).toBeTruthy();
  expect(screen.getByRole("region", { name: "Shift by percentile from #1 to #2" })).toBeTruthy();
  expect(screen.getByText(/95 % CI of the rank test/)).toBeTruthy();
});

it("reports a deleted distribution in one line, and shows the other", async () => {
  await show(DELETED);
  const note = /No distribution of #1: Deleted \(retention\): distributions on .*2026\.$/;
  expect(screen.getByText(note)).toBeTruthy();
  expect(screen.getByRole("img", { name: /^Density/ })).toBeTruthy();
  expect(screen.queryByRole("region", { name: /^Shift/ })).toBeNull();
});

it("shows the last charts of a series until those of another point are loaded", async () => {
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const side = (seriesId: number, runId: string) => ({ runId, seriesId, label: `#${runId}` });
  function Page() {
    const [after, setAfter] = useState(side(1, "2"));
    return (
      <>
        <button type="button" onClick={() => setAfter(side(1, "3"))}>
          Other point
        </button>
        <button type="button" onClick={() => setAfter(side(2, "4"))}>
          Other series
        </button>
        <BeforeAfter
          title={`At ${after.label}`}
          name="distribution"
          of={aSeries()}
          before={side(1, "1")}
          after={after}
        />
      </>
    );
  }
  await showPage(<Page />, [
    [pointDetailQuery("1", 1).queryKey, DETAIL],
    [pointDetailQuery("2", 1).queryKey, DETAIL],
  ]);
  fireEvent.click(screen.getByRole("button", { name: "Other point" }));
  expect(screen.getByRole("region", { name: "At #2" })).toBeTruthy();
  expect(screen.queryByRole("status")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Other series" }));
  expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
  vi.unstubAllGlobals();
});
