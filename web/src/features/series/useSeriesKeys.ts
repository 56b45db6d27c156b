/** A series by keyboard, wherever the focus is: along its commits and its changes, closer and further away. */
import { useNavigate } from "@tanstack/react-router";
import { zoomed } from "@/components/chart/keys";
import { nearest } from "@/components/chart/nearest";
import type { Change } from "@/components/chart/plottables/Rules";
import { toComparison } from "@/lib/paths";
import { useKeys } from "@/lib/useKeys";
import type { SeriesPoint } from "./data";
import type { Stop } from "./stops";
import { keptRange } from "./useRange";

type Range = readonly [number, number];

type On = {
  project: string;
  stops: Stop[];
  /** Where the pinned point stands. */
  pinned_x: number;
  pinned: SeriesPoint | null;
  /** The point before it. */
  earlier: SeriesPoint | null;
  changes: readonly Change[];
  /** The stretch that is shown, of how much there is. */
  range: Range | null;
  extent: Range;
  onPin: (stop: Stop) => void;
  onRange: (range: Range | null) => void;
};

export function useSeriesKeys(on: On): void {
  const { project, stops, pinned_x, pinned, earlier, changes, range, extent, onPin, onRange } = on;
  const navigate = useNavigate();
  const pin = (stop: Stop | undefined) => {
    if (stop !== undefined) onPin(stop);
  };
  const places = () => stops.map(({ x }) => x);
  const move = (by: number) => pin(stops[nearest(places(), pinned_x) + by]);
  const goTo = (change: Change | undefined) => {
    if (change !== undefined) pin(stops[nearest(places(), change.x)]);
  };
  const zoom = (factor: number) => onRange(keptRange(zoomed(pinned_x, range ?? extent, factor), extent));
  useKeys({
    title: "Series",
    keys: [
      ["ArrowLeft", "pin the commit before", () => move(-1)],
      ["ArrowRight", "pin the commit after", () => move(1)],
      ["[", "pin the change of level before", () => goTo(changes.findLast(({ x }) => x < pinned_x))],
      ["]", "pin the change of level after", () => goTo(changes.find(({ x }) => x > pinned_x))],
      ["+", "closer", () => zoom(0.5)],
      ["-", "further away", () => zoom(2)],
      ["0", "all of it", () => onRange(null)],
      [
        "c",
        "compare with the commit before",
        () => {
          if (pinned === null || earlier === null) return;
          navigate(toComparison(project, earlier.point.commit_sha, pinned.point.commit_sha));
        },
      ],
    ],
  });
}
