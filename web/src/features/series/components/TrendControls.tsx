/** Chooses how far into the tail the trend reaches, and what it runs over. */
import { Segmented } from "@/components/ui/Segmented";
import { formatCount } from "@/lib/units";
import { AXES, type Axis, LASTS, type SeriesSearch, type Shown } from "../search";

type Props = {
  /** Absent: there is one figure, and nothing to choose. */
  shown?: Shown;
  /** How far the samples reach into the tail; absent: as far as there is a name for. */
  choices?: Shown[];
  axis: Axis;
  hasRate?: boolean;
  /** How many of the newest commits are drawn; absent: all. */
  last?: number;
  /** Whether a stretch is looked at closely. */
  isZoomed: boolean;
  onChange: (change: SeriesSearch) => void;
  onWhole: () => void;
};

const PERCENTILES: { value: Shown; label: string }[] = [
  { value: "p50", label: "p50" },
  { value: "p99", label: "p99" },
  { value: "p999", label: "p99.9" },
];

export function TrendControls({
  shown,
  choices,
  axis,
  hasRate = false,
  last,
  isZoomed,
  onChange,
  onWhole,
}: Props) {
  const percentiles = PERCENTILES.filter(({ value }) => choices?.includes(value) ?? true);
  const options = hasRate
    ? [{ value: "throughput" as const, label: "throughput" }, ...percentiles]
    : percentiles;
  return (
    <div className="controls">
      {shown !== undefined && options.length > 1 && (
        <Segmented
          label="Show up to"
          options={options}
          value={shown}
          onChange={(show) => onChange({ show })}
        />
      )}
      <Segmented
        label="Over"
        options={AXES.map((value) => ({ value, label: value }))}
        value={axis}
        onChange={(value) => onChange({ axis: value })}
      />
      {last !== undefined && axis === "commits" && (
        <Segmented
          label="Newest commits"
          options={LASTS.map((value) => ({ value: String(value), label: formatCount(value) }))}
          value={String(last)}
          onChange={(value) => onChange({ last: Number(value) })}
        />
      )}
      {isZoomed && (
        <button type="button" className="text-button" onClick={onWhole}>
          Show all
        </button>
      )}
    </div>
  );
}
