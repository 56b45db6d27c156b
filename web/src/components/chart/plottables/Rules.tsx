/**
 * Events on the horizontal axis: dotted lines for environment changes, a line, a range and a shape for changes, and a
 * square above the area for notes.
 * Changes without an alert have no name, and are below the others. Overlapping names are omitted; the table has all.
 */
import { byImportance, type ChangeMark, isFaint } from "@/lib/changes";
import { markPath } from "../sparklines";
import { usePlot } from "../usePlot";

export type Rule = { x: number; label: string; isNote?: boolean };

/** A change point with kind, direction and size. */
export type Change = {
  x: number;
  /** Where a drift begins; otherwise `x`. */
  from: number;
  mark: ChangeMark;
  label: string;
  direction: "regressed" | "improved";
  /** Whether the machine is the cause. */
  isQuiet: boolean;
};

type Props = { rules: Rule[]; changes: Change[] };

const CHARACTER_PX = 6.4;
const GAP_PX = 8;
/** Room for names above the drawing area, which important lines cross. */
const NAMES_PX = 16;
const SHAPE_PX = 8;
const NOTE_PX = 7;

const LINES: Record<ChangeMark, { dash: string; width: number; opacity: number }> = {
  step: { dash: "", width: 1, opacity: 0.75 },
  drift: { dash: "7 3", width: 1.5, opacity: 0.75 },
  known_state: { dash: "7 2 1 2", width: 0.75, opacity: 0.45 },
  tail: { dash: "3 4", width: 0.75, opacity: 0.6 },
  small: { dash: "1 3", width: 0.75, opacity: 0.6 },
};

export function Rules({ rules, changes }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x } = plot;
  const isSeen = ({ from, at }: { from: number; at: number }) => at >= area.x - 1 && from <= right + 1;
  const marks = changes
    .map((change) => ({ label: change.label, change, from: x(change.from), at: x(change.x) }))
    .filter(isSeen)
    .sort((one, other) => byImportance(one.change, other.change));
  const all = rules
    .map(({ x: place, ...rule }) => ({ ...rule, from: x(place), at: x(place) }))
    .filter(isSeen);
  const breaks = all.filter(({ isNote }) => isNote !== true);
  const notes = all.filter(({ isNote }) => isNote === true);
  const important = marks.filter(({ change }) => !isFaint(change.mark)).toReversed();
  const named = withRoom([...important, ...breaks], right);
  return (
    <g>
      {breaks.map((mark, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: duplicates are possible, and have no state.
        <g key={index} className="environment-mark">
          {mark.label !== "" && <title>{mark.label}</title>}
          <path
            d={`M${mark.at},${area.y - NAMES_PX}V${bottom}`}
            stroke="var(--muted)"
            strokeDasharray="2 3"
          />
          <Name at={named.get(mark)} top={area.y} ink="var(--muted)" label={mark.label} />
        </g>
      ))}
      {notes.map(({ at, label }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a commit can have several, and they have no state.
        <g key={index} className="note-mark">
          <title>{label}</title>
          <path d={`M${at},${area.y - NAMES_PX}V${bottom}`} stroke="var(--rule-strong)" />
          <rect
            x={at - NOTE_PX / 2}
            y={area.y - NAMES_PX}
            width={NOTE_PX}
            height={NOTE_PX}
            fill="var(--ink)"
          />
        </g>
      ))}
      {marks.map((mark, index) => {
        const { at, from, label, change } = mark;
        const ink = inkOf(change);
        const { dash, width, opacity } = LINES[change.mark];
        const [begin, end] = [Math.max(from, area.x), Math.min(at, right)];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: duplicates are possible, and have no state.
          <g key={index} className="change-mark" data-mark={change.mark}>
            {label !== "" && <title>{label}</title>}
            {begin < end && (
              <rect
                x={begin}
                y={area.y}
                width={end - begin}
                height={area.height}
                fill={ink}
                fillOpacity={0.07}
              />
            )}
            {at <= right + 1 && (
              <>
                <path
                  d={`M${at},${isFaint(change.mark) ? area.y : area.y - NAMES_PX}V${bottom}`}
                  stroke={ink}
                  strokeWidth={width}
                  strokeDasharray={dash}
                  strokeOpacity={opacity}
                />
                <path
                  className={`change-shape change-shape-${change.mark}`}
                  style={{ color: ink }}
                  d={markPath({ ...change, x: at, from: begin, top: bottom + 2, height: SHAPE_PX })}
                />
              </>
            )}
            <Name at={named.get(mark)} top={area.y} ink={ink} label={label} />
          </g>
        );
      })}
    </g>
  );
}

type NameProps = { at: number | undefined; top: number; ink: string; label: string };

function Name({ at, top, ink, label }: NameProps) {
  if (at === undefined) return null;
  return (
    <text x={at} y={top - 8} style={{ fill: ink }}>
      {label}
    </text>
  );
}

function inkOf({ direction, mark, isQuiet }: Change): string {
  if (isQuiet || isFaint(mark)) return "var(--muted)";
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
