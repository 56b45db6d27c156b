/** The states of a machine over a year, as bars whose height and colour show how serious they are. */
import { type Cell, type CellState, cellText, STATE_NAMES, STATES, stripText } from "./history";

const HEIGHT = 24;
/** Above the bars, for marks of environment changes. */
const MARK = 7;

/** Heights relative to the strip. */
const HEIGHTS: Record<CellState, number> = {
  none: 0.08,
  unknown: 0.25,
  steady: 0.4,
  "known-state": 0.6,
  drift: 0.8,
  suspect: 1,
};

type Props = { cells: readonly Cell[]; width?: number };

export function StateStrip({ cells, width = 600 }: Props) {
  const step = width / Math.max(1, cells.length);
  const gap = Math.min(1.5, step / 4);
  return (
    <svg
      className="state-strip"
      viewBox={`0 0 ${width} ${HEIGHT + MARK}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={stripText(cells)}
    >
      {cells.map((cell, place) => {
        const height = HEIGHTS[cell.state] * HEIGHT;
        return (
          <g key={cell.from}>
            <title>{cellText(cell)}</title>
            {/* The whole column shows the text. */}
            <rect className="state-hit" x={place * step} width={step} height={HEIGHT + MARK} />
            <rect
              className={`state-${cell.state}`}
              x={place * step}
              y={MARK + HEIGHT - height}
              width={step - gap}
              height={height}
            />
            {cell.changes.length > 0 && (
              <rect
                className="state-change"
                x={place * step}
                y={0}
                width={Math.max(2, step - gap)}
                height={3}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** The states that occur, with their bars. */
export function StateLegend({ cells }: { cells: readonly Cell[] }) {
  const shown = STATES.filter((state) => cells.some((cell) => cell.state === state));
  return (
    <ul className="state-legend">
      {shown.map((state) => (
        <li key={state}>
          <svg width={8} height={HEIGHT / 2} aria-hidden="true">
            <rect
              className={`state-${state}`}
              width={8}
              y={(1 - HEIGHTS[state]) * (HEIGHT / 2)}
              height={(HEIGHTS[state] * HEIGHT) / 2}
            />
          </svg>
          {STATE_NAMES[state]}
        </li>
      ))}
      {cells.some(({ changes }) => changes.length > 0) && (
        <li>
          <svg width={8} height={HEIGHT / 2} aria-hidden="true">
            <rect className="state-change" width={8} y={4} height={3} />
          </svg>
          Environment changed
        </li>
      )}
    </ul>
  );
}
