/** Chooses how far into the tail the trend reaches, and what it runs over. */
import { Segmented } from "@/components/ui/Segmented";
import { AXES, type Axis, type SeriesSearch, type Shown } from "../search";

type Props = {
  /** Absent: there is one figure, and nothing to choose. */
  shown?: Shown;
  /** How far the samples reach into the tail; absent: as far as there is a name for. */
  choices?: Shown[];
  axis: Axis;
  hasRate?: boolean;
  onChange: (change: SeriesSearch) => void;
};

const PERCENTILES: { value: Shown; label: string }[] = [
  { value: "p50", label: "p50" },
  { value: "p99", label: "p99" },
  { value: "p999", label: "p99.9" },
];

export function TrendControls({ shown, choices, axis, hasRate = false, onChange }: Props) {
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
    </div>
  );
}
