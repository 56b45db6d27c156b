/**
 * Events on the horizontal axis: dotted lines for environment changes, triangles for change points. Overlapping names
 * are omitted; the table has all.
 */
import { usePlot } from "../usePlot";

export type Rule = { x: number; label: string };

/** A change point with direction and size. */
export type Change = { x: number; label: string; direction: "regressed" | "improved"; isQuiet: boolean };

type Props = { rules: Rule[]; changes: Change[] };

const CHARACTER_PX = 6.4;
const GAP_PX = 8;

export function Rules({ rules, changes }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x } = plot;
  const marks = [
    ...changes.map((change) => ({ label: change.label, change, at: x(change.x) })),
    ...rules.map((rule) => ({ label: rule.label, change: null, at: x(rule.x) })),
  ].filter(({ at }) => at >= area.x - 1 && at <= right + 1);
  const named = withRoom(marks, right);
  return (
    <g>
      {marks.map((mark, index) => {
        const { at, label, change } = mark;
        const isChange = change !== null;
        const ink = change === null ? "var(--muted)" : inkOf(change);
        const name = named.get(mark);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: duplicates are possible, and have no state.
          <g key={index} className={isChange ? "change-mark" : "environment-mark"}>
            {label !== "" && <title>{label}</title>}
            <path
              d={`M${at},${area.y - 16}V${bottom}`}
              stroke={ink}
              strokeDasharray={isChange ? "" : "2 3"}
              strokeOpacity={isChange ? 0.75 : 1}
            />
            {change !== null && <Triangle at={at} bottom={bottom} ink={ink} direction={change.direction} />}
            {name !== undefined && (
              <text x={name} y={area.y - 8} style={{ fill: ink }}>
                {label}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

type TriangleProps = { at: number; bottom: number; ink: string; direction: Change["direction"] };

function Triangle({ at, bottom, ink, direction }: TriangleProps) {
  const [tip, base] = direction === "regressed" ? [bottom + 2, bottom + 10] : [bottom + 10, bottom + 2];
  return <path d={`M${at},${tip}L${at + 5},${base}H${at - 5}Z`} fill={ink} stroke="none" />;
}

function inkOf({ direction, isQuiet }: Pick<Change, "direction" | "isQuiet">): string {
  if (isQuiet) return "var(--muted)";
  return direction === "regressed" ? "var(--data-4-ink)" : "var(--data-2-ink)";
}

/** Start positions of names that fit; earlier marks have priority. */
function withRoom<M extends { at: number; label: string }>(marks: M[], end: number): Map<M, number> {
  const taken: [number, number][] = [];
  const places = new Map<M, number>();
  for (const mark of marks) {
    const width = mark.label.length * CHARACTER_PX;
    for (const from of [mark.at + 5, mark.at - 5 - width]) {
      const to = from + width;
      const isFree = taken.every(([low, high]) => to + GAP_PX < low || from - GAP_PX > high);
      if (from < 0 || to > end + 40 || !isFree) continue;
      taken.push([from, to]);
      places.set(mark, from);
      break;
    }
  }
  return places;
}
