/** Stacked columns, one path per part. Each column extends half way to its neighbours, up to a maximum width. */
import { rounded } from "../sparklines";
import { usePlot } from "../usePlot";

/** The parts of a column, from the bottom. */
export type Stack = { x: number; values: readonly number[] };

type Props = { stacks: readonly Stack[]; fills: readonly string[]; pinned_x: number };

const HALF_MAX_PX = 9;
/** Narrower columns have no gap. */
const GAP_FROM_PX = 5;
const OUTLINE_PX = 2;

export function Stacks({ stacks, fills, pinned_x }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x, y } = plot;
  const columns = stacks.flatMap((stack, place) => {
    const at = x(stack.x);
    if (at < area.x - 1 || at > right + 1) return [];
    const half = (neighbour: Stack | undefined) =>
      neighbour === undefined ? HALF_MAX_PX : Math.min(HALF_MAX_PX, Math.abs(x(neighbour.x) - at) / 2);
    // At the ends as wide as on the other side.
    const [before, after] = [stacks[place - 1], stacks[place + 1]];
    const [left, end] = [at - half(before ?? after), at + half(after ?? before)];
    const gap = end - left < GAP_FROM_PX ? 0 : 1;
    return [{ stack, left: rounded(left), end: rounded(end - gap) }];
  });
  const paths = fills.map((fill, part) => {
    const rects = columns.map(({ stack: { values }, left, end }) => {
      const below = values.slice(0, part).reduce((sum, value) => sum + value, 0);
      const [low, high] = [y(below), y(below + (values[part] ?? 0))];
      return `M${left},${rounded(high)}H${end}V${rounded(low)}H${left}Z`;
    });
    return { fill, d: rects.join("") };
  });
  const pinned = columns.find(({ stack }) => stack.x === pinned_x);
  return (
    <g pointerEvents="none">
      {paths.map(({ fill, d }) => (
        <path key={fill} className="stack" d={d} fill={fill} />
      ))}
      {pinned !== undefined && (
        <path
          d={`M${pinned.left - OUTLINE_PX},${bottom}V${topOf(pinned.stack, y) - OUTLINE_PX}H${pinned.end + OUTLINE_PX}V${bottom}`}
          fill="none"
          stroke="var(--ink)"
          strokeWidth={1.5}
        />
      )}
    </g>
  );
}

function topOf({ values }: Stack, y: (value: number) => number): number {
  return y(values.reduce((sum, value) => sum + value, 0));
}
