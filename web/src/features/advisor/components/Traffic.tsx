/** The messages as bars that are dragged, with whose they are, how long they are, and the way back. */
import { useState } from "react";
import type { AdviceGroup, SizeProfile } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DraggedBarsChart } from "@/components/chart/DraggedBarsChart";
import type { CrossingMark } from "@/components/chart/plottables/Crossings";
import { SelectField } from "@/components/ui/SelectField";
import { barsOf, messagesText, nameIn } from "../data";
import { type AdvisorChange, type AdvisorSearch, draggedText, type Start, withDragged } from "../search";
import { type Bucket, scaled, sizesText } from "../sizes";
import { trafficTable } from "../tables";
import { OwnSizes } from "./OwnSizes";
import { TimesSlider } from "./TimesSlider";

/** More captions than this hide the bars that they are about. */
const MARKS_MAX = 3;
/** Own sizes, among the names of profiles. */
const OWN = "own";

type Props = {
  search: AdvisorSearch;
  start: Start;
  profiles: SizeProfile[];
  /** The only group there is, whose crossings are marked. */
  group: AdviceGroup | null;
  /** What is written to the address at once. */
  onChange: (change: AdvisorChange) => void;
  /** What is written once it has come to rest. */
  onDrag: (change: AdvisorChange) => void;
};

export function Traffic({ search, start, profiles, group, onChange, onDrag }: Props) {
  const [isOwnOpen, setOwnOpen] = useState(false);
  const times = search.times ?? 1;
  const now = withDragged(start.buckets, search.dragged);
  const asked = times === 1 ? now : scaled(now, times);
  const isChanged = search.dragged !== undefined || times !== 1;
  const startAnew = (change: AdvisorChange) => {
    setOwnOpen(false);
    onChange({ profile: undefined, sizes: undefined, dragged: undefined, times: undefined, ...change });
  };
  const drag = (place: number, count: number) => {
    const moved = now.map((bucket, index) => (index === place ? { ...bucket, count } : bucket));
    onDrag({ dragged: draggedText(start.buckets, moved) });
  };
  return (
    <ChartFrame
      name="traffic"
      title={messagesText(asked)}
      summary="Drag a bar up or down; or go to it with Tab and the arrow keys, left and right from bar to bar, up and down for more and fewer messages. Dashed: as it was. Line: the share of messages that are not longer."
      table={trafficTable(asked, start.profile?.slug ?? "own")}
      controls={
        <>
          <div className="controls traffic-controls">
            <SelectField
              label="Messages"
              options={[
                ...profiles.map(({ slug, title }) => ({ value: slug, label: title })),
                ...(start.profile === null ? [{ value: OWN, label: "Your own" }] : []),
              ]}
              value={start.profile?.slug ?? OWN}
              onChange={(slug) => slug !== OWN && startAnew({ profile: slug })}
            />
            <button
              type="button"
              className="button"
              aria-expanded={isOwnOpen}
              onClick={() => setOwnOpen(!isOwnOpen)}
            >
              Your own sizes
            </button>
            <TimesSlider
              times={times}
              onChange={(value) => onDrag({ times: value === 1 ? undefined : value })}
            />
            <button
              type="button"
              className="button"
              disabled={!isChanged}
              onClick={() => onChange({ dragged: undefined, times: undefined })}
            >
              Reset
            </button>
          </div>
          {isOwnOpen && (
            <OwnSizes
              text={sizesText(asked)}
              onUse={(buckets) => startAnew({ sizes: sizesText(buckets) })}
              onClose={() => setOwnOpen(false)}
            />
          )}
        </>
      }
    >
      <DraggedBarsChart
        name="Messages by size, to be dragged"
        bars={barsOf(now, times)}
        start={barsOf(start.buckets)}
        crossings={group === null ? [] : marksOf(group, asked)}
        onDrag={drag}
      />
    </ChartFrame>
  );
}

/** The crossings with the first one that are among the messages. */
function marksOf(group: AdviceGroup, buckets: Bucket[]): CrossingMark[] {
  const some = buckets.filter(({ count }) => count > 0);
  const [least, most] = [some[0]?.from_bytes ?? 0, some.at(-1)?.to_bytes ?? 0];
  const name = (place: number) => {
    const ranked = group.ranking[place];
    return ranked === undefined ? "" : nameIn(group, ranked);
  };
  return group.crossovers
    .filter(({ x }) => x > least && x < most)
    .slice(0, MARKS_MAX)
    .map(({ below, above, x, from, to }) => ({ x, from, to, label: `${name(below)} | ${name(above)}` }));
}
