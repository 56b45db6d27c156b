import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { LATENCY } from "@/components/chart/measure";
import { aSeries } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { mockServer } from "@/test/server";
import { trendLines } from "./data";
import { StopTooltip } from "./SeriesParts";
import type { Stop } from "./stops";

mockServer();

it("describes the changes at a stop after its other remarks", async () => {
  const stop: Stop = {
    x: 7,
    ordinal: 7,
    environmentId: 1,
    mark: "lossy",
    isModified: false,
    band: null,
    values: { p50: 4000, p90: 5000 },
    runId: null,
    runs: 2,
  };
  const words = ["p50 +1.2 %, small change, below the threshold", "p50 drift of +6.1 % since aaaaaaa"];
  const rest = { lines: trendLines("p50"), measure: LATENCY, axis: "commits", remark: undefined } as const;
  await showPage(
    <>
      <h1>Series</h1>
      <StopTooltip series={aSeries()} stop={stop} previous={undefined} words={words} {...rest} />
    </>,
  );
  expect(screen.getByText(`one of 2 runs, lossy; ${words.join("; ")}`)).toBeTruthy();
});
