/** What keeps a series' figures from being compared with others, before anyone does. */
import { memo } from "react";
import type { SeriesSummary } from "@/api/types";
import { lossText, OVERSUBSCRIBED } from "@/lib/points";
import type { SeriesPoint } from "../data";

type Props = { series: SeriesSummary; pinned: SeriesPoint | null; isOversubscribed: boolean };

export const Cautions = memo(function Cautions({ series, pinned, isOversubscribed }: Props) {
  const { probe } = series.methodology;
  return (
    <>
      {probe != null && (
        <p className="lede warning">
          Measured under the probe <strong>{probe}</strong>: not comparable with raw figures.
        </p>
      )}
      {pinned?.point.lossy && (
        <p className="lede warning">
          Lossy: {lossText(pinned.point, series.case)}
          {pinned.point.bytes_per_second != null && ", and the rate counts only what arrived"}. Not comparable
          with lossless figures.
        </p>
      )}
      {isOversubscribed && <p className="lede warning">Oversubscribed: {OVERSUBSCRIBED}.</p>}
    </>
  );
});
