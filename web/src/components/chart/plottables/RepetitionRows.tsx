/** A row for each side with its repetitions: a dot at the p50, open if disturbed, and a tick at the p99. */
import type { RepetitionDetail } from "@/api/types";
import { usePlot } from "../usePlot";

type Props = {
  rows: { stroke: string; repetitions: RepetitionDetail[] }[];
  format: (value: number) => string;
};

const RADIUS_PX = 2.75;
const TICK_PX = 4;
/** The share of a row's height over which its repetitions are spread, in their order. */
const SPREAD = 0.6;

export function RepetitionRows({ rows, format }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, x, y } = plot;
  const isSeen = (px: number) => px >= area.x && px <= right;
  return rows.map(({ stroke, repetitions }, row) =>
    repetitions.map(({ index, p50_ns, p99_ns, max_ns, disturbed }, place) => {
      const part = repetitions.length > 1 ? place / (repetitions.length - 1) - 0.5 : 0;
      const [p50, p99, at] = [x(Math.max(1, p50_ns)), x(Math.max(1, p99_ns)), y(row + part * SPREAD)];
      return (
        <g key={`${stroke} ${index}`} stroke={stroke}>
          <title>
            {`Repetition ${index + 1}: p50 ${format(p50_ns)}, p99 ${format(p99_ns)}, max ${format(max_ns)}${disturbed.length > 0 ? "; disturbed" : ""}`}
          </title>
          {isSeen(p99) && <path d={`M${p99},${at - TICK_PX / 2}v${TICK_PX}`} strokeWidth={1.5} />}
          {isSeen(p50) && (
            <circle
              cx={p50}
              cy={at}
              r={RADIUS_PX}
              fill={disturbed.length > 0 ? "var(--ground)" : stroke}
              strokeWidth={1.25}
            />
          )}
        </g>
      );
    }),
  );
}
