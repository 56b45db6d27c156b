/** The repetitions of base and head on one axis: a dot each, and a stroke at each median. */
import { median } from "@/lib/statistics";

type Props = {
  base: readonly number[];
  head: readonly number[];
  name: string;
};

const WIDTH_PX = 116;
const HEIGHT_PX = 24;
const MARGIN_PX = 4;
const BASE_Y = 7;
const HEAD_Y = 17;
const STROKE_PX = 8;

export function RepetitionDots({ base, head, name }: Props) {
  const all = [...base, ...head];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (value: number) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return Number((MARGIN_PX + share * (WIDTH_PX - 2 * MARGIN_PX)).toFixed(1));
  };
  return (
    <svg className="repetition-dots" width={WIDTH_PX} height={HEIGHT_PX} role="img" aria-label={name}>
      <Strip className="repetition-base" xs={base.map(x)} y={BASE_Y} />
      <Strip className="repetition-head" xs={head.map(x)} y={HEAD_Y} />
    </svg>
  );
}

function Strip({ className, xs, y }: { className: string; xs: number[]; y: number }) {
  const middle = median(xs);
  return (
    <g className={className}>
      <path className="repetition-dot" d={xs.map((x) => `M${x},${y}h0`).join("")} />
      {middle !== null && (
        <path className="repetition-median" d={`M${middle},${y - STROKE_PX / 2}v${STROKE_PX}`} />
      )}
    </g>
  );
}
