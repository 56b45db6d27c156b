/** What stands at a stop of the trend: its commit, as soon as that is known, and its figures, the largest first. */
import { useQuery } from "@tanstack/react-query";
import { commitsQuery } from "@/api/queries";
import type { Measure } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { shortSha } from "@/lib/commits";
import { formatMoment } from "@/lib/time";
import { useSettled } from "@/lib/useSettled";
import type { Axis } from "../search";
import type { Stop, StopLine } from "../stops";

type Props = {
  project: string;
  stop: Stop;
  lines: StopLine[];
  measure: Measure;
  axis: Axis;
  remark?: string;
};

/** Who rests so long means what is there. */
const SETTLED_MS = 120;

export function StopTooltip({ project, stop, lines, measure, axis, remark }: Props) {
  const { ordinal, values, mark, isModified, runs } = stop;
  // Who moves along a line is not asking for every commit on the way.
  const asked = useSettled(ordinal, SETTLED_MS);
  const { data } = useQuery(commitsQuery(project, { from: asked, to: asked, limit: 1 }));
  const commit = data?.commits.find((entry) => entry.ordinal === ordinal);
  const note = [
    ...(axis === "time" ? [formatMoment(new Date(stop.x).toISOString())] : []),
    ...(runs > 1 ? [`one of ${runs} runs`] : []),
    ...(isModified ? ["modified work tree"] : []),
    ...(mark === "lossy" ? ["lossy"] : []),
    ...(remark === undefined ? [] : [remark]),
  ].join(", ");
  return (
    <TooltipBox
      heading={
        <>
          #{ordinal}{" "}
          {commit !== undefined && (
            <>
              <code>{shortSha(commit.sha)}</code> {commit.subject}
            </>
          )}
        </>
      }
      rows={lines
        .map(({ key, label }) => ({ name: label, value: measure.format(values[key] ?? 0) }))
        .toReversed()}
      {...(note === "" ? {} : { note })}
    />
  );
}
