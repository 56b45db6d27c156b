/** The commit axis of a grid of sparklines: a slider that moves the crosshair by keyboard. */
import type { KeyboardEvent } from "react";
import { type Crosshair, useCrosshair, usePoint } from "./crosshair";
import { placeOfKey } from "./keys";
import { placeX, SPARK } from "./sparklines";

type Props = { ordinals: readonly number[]; describe: (ordinal: number) => string };

/** Identifies the keyboard as the source of a crosshair movement. */
const SOURCE = "keys";
const HEIGHT_PX = 16;
/** Room for an end label; the crosshair label replaces it when near. */
const LABEL_PX = 52;

export function CommitSlider({ ordinals, describe }: Props) {
  const place = placeOf(useCrosshair(), ordinals);
  const point = usePoint();
  const last = ordinals.length - 1;
  const [first, newest] = [ordinals[0], ordinals[last]];
  if (first === undefined || newest === undefined) return "commits";
  const current = ordinals[place ?? last] ?? newest;
  const onKeyDown = (event: KeyboardEvent) => {
    const target = placeOfKey(event.key, place ?? last + 1, last);
    if (target === null && event.key !== "Escape") return;
    event.preventDefault();
    point(target === null ? null : pointAt(ordinals, target));
  };
  const x = place === null ? null : placeX(place, ordinals.length);
  return (
    <div
      className="spark-axis"
      role="slider"
      tabIndex={0}
      aria-label="Commit"
      aria-valuemin={first}
      aria-valuemax={newest}
      aria-valuenow={current}
      aria-valuetext={place === null ? `none selected, #${first} to #${newest}` : describe(current)}
      onKeyDown={onKeyDown}
      onBlur={() => point(null)}
    >
      <svg width={SPARK.width} height={HEIGHT_PX} aria-hidden="true">
        {(x === null || x > LABEL_PX * 1.5) && (
          <text x={SPARK.padding} y={12}>
            #{first}
          </text>
        )}
        {first !== newest && (x === null || x < SPARK.width - LABEL_PX * 1.5) && (
          <text x={SPARK.width - SPARK.padding} y={12} textAnchor="end">
            #{newest}
          </text>
        )}
        {x !== null && (
          <text
            className="spark-at"
            x={Math.min(Math.max(x, LABEL_PX / 2), SPARK.width - LABEL_PX / 2)}
            y={12}
            textAnchor="middle"
          >
            #{current}
          </text>
        )}
      </svg>
    </div>
  );
}

/** The index at the crosshair; `null` without one. */
export function placeOf(crosshair: Crosshair | null, ordinals: readonly number[]): number | null {
  const place = crosshair === null ? -1 : ordinals.indexOf(crosshair.x);
  return place === -1 ? null : place;
}

/** The crosshair at an index, clamped to the ends; `null` without commits. */
export function pointAt(ordinals: readonly number[], place: number): Crosshair | null {
  const x = ordinals[Math.min(Math.max(place, 0), ordinals.length - 1)];
  return x === undefined ? null : { x, source: SOURCE };
}
