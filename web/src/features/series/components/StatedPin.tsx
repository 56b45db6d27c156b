/** The pinned figure of another tool: all that it states, and no more. */
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { QuantityText } from "@/components/ui/QuantityText";
import { intervalOf, NOT_TOLD, nsPerOperation, quantileName } from "@/lib/imports";
import { formatCount, formatNs, quantityOfDividedNs, quantityOfNs } from "@/lib/units";
import type { SeriesPoint } from "../data";
import { PinnedFrame } from "./PinnedFrame";

type Props = { series: SeriesSummary; pinned: SeriesPoint<StatedPoint>; statistic: string };

export function StatedPin({ series, pinned, statistic }: Props) {
  const { center_ns, min_ns, max_ns, quantiles, count } = pinned.point;
  const each = nsPerOperation(center_ns, series.case);
  const interval = intervalOf(pinned.point);
  const time = (name: string, ns: number | null) =>
    ns === null ? [] : [{ name, value: <QuantityText plain quantity={quantityOfNs(ns)} /> }];
  return (
    <PinnedFrame
      series={series}
      pinned={pinned}
      facts={[
        { name: statistic, value: <QuantityText quantity={quantityOfNs(center_ns)} /> },
        ...(each === null
          ? []
          : [{ name: "an operation", value: <QuantityText plain quantity={quantityOfDividedNs(each)} /> }]),
        {
          name: "interval",
          value: interval === null ? <NotTold /> : `${formatNs(interval[0])} to ${formatNs(interval[1])}`,
        },
        ...time("min", min_ns),
        ...quantiles.flatMap(({ q_ppm, ns }) => time(quantileName(q_ppm), ns)),
        ...time("max", max_ns),
        { name: "made of", value: count === null ? <NotTold /> : `${formatCount(count)} samples, not kept` },
        { name: "runs", value: `${formatCount(pinned.runs)} of this commit` },
      ]}
    />
  );
}

function NotTold() {
  return <span className="muted">{NOT_TOLD}</span>;
}
