/** What the topologies are of, and what a time is of. */
import { useNavigate } from "@tanstack/react-router";
import type { Place } from "@/api/place";
import { Choice } from "@/components/ui/Choice";
import { Segmented } from "@/components/ui/Segmented";
import { SelectField } from "@/components/ui/SelectField";
import type { Load } from "@/lib/sweep";
import { modeName, placementName } from "@/lib/vocabulary";
import type { TopologySearch } from "../search";
import type { TimeOf } from "../topology";

type Props = { place: Place; loads: Load[]; load: string; time: TimeOf };

/** More than two ends. */
const MANY = 3;

export function TopologyControls({ place, loads, load, time }: Props) {
  const navigate = useNavigate({ from: "/$project/topology" });
  const choose = (change: TopologySearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), replace: true, resetScroll: false });
  return (
    <div className="controls sweep-controls">
      <Choice
        label="Machine"
        values={place.machines}
        name={(machine) => machine}
        value={place.machine}
        onChange={(machine) => choose({ machine })}
      />
      <Choice
        label="Mode"
        values={place.modes}
        name={(mode) => modeName(mode, MANY)}
        value={place.mode}
        onChange={(mode) => choose({ mode })}
      />
      <Choice
        label="Placement"
        values={place.placements}
        name={placementName}
        value={place.placement}
        onChange={(placement) => choose({ placement })}
      />
      {loads.length > 1 && (
        <SelectField
          label="Load"
          options={loads.map(({ key, label }) => ({ value: key, label: label || "usual" }))}
          value={load}
          onChange={(key) => choose({ load: key })}
        />
      )}
      <Segmented
        label="Time of"
        options={[
          { value: "message", label: "a message" },
          { value: "operation", label: "an operation" },
        ]}
        value={time}
        onChange={(value) => choose({ time: value })}
      />
    </div>
  );
}
