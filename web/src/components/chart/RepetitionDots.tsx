/**
 * Two sides' repetitions on one axis, the base above the head: a dot each, and a stroke at each median. Whether they
 * overlap is seen at once.
 */
import { ascending } from "@/lib/collections";

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
  const all = [...base, ...head].sort(ascending);
  const [low, high] = [all[0] ?? 0, all.at(-1) ?? 0];
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
  const sorted = xs.toSorted(ascending);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return (
    <g className={className}>
      <path className="repetition-dot" d={xs.map((x) => `M${x},${y}h0`).join("")} />
      {median !== undefined && (
        <path className="repetition-median" d={`M${median},${y - STROKE_PX / 2}v${STROKE_PX}`} />
      )}
    </g>
  );
}
