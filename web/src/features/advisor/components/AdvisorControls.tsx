/** Whose messages the advice is for, where they are sent, and what counts. */
import { Choice } from "@/components/ui/Choice";
import { Segmented } from "@/components/ui/Segmented";
import { modeName, placementName } from "@/lib/vocabulary";
import { type AdvisorChange, type AdvisorSearch, FIGURES, type Figure } from "../search";
import { RateField } from "./RateField";

type Props = {
  search: AdvisorSearch;
  machines: string[];
  placements: string[];
  placement: string | undefined;
  modes: string[];
  mode: string | undefined;
  onChange: (change: AdvisorChange) => void;
};

/** Any machine, in the address nothing. */
const EVERY = "";

export function AdvisorControls({ search, machines, placements, placement, modes, mode, onChange }: Props) {
  return (
    <div className="controls advisor-controls">
      <Choice
        label="Machine"
        values={machines.length > 1 ? [EVERY, ...machines] : machines}
        name={(machine) => (machine === EVERY ? "all machines" : machine)}
        value={search.machine ?? EVERY}
        onChange={(machine) => onChange({ machine: machine === EVERY ? undefined : machine })}
      />
      <Choice
        label="Placement"
        values={placements}
        name={placementName}
        value={placement ?? ""}
        onChange={(value) => onChange({ placement: value })}
      />
      <Choice
        label="Mode"
        values={modes}
        name={(value) => modeName(value)}
        value={mode ?? ""}
        onChange={(value) => onChange({ mode: value })}
      />
      <Segmented<Figure>
        label="Ranked by"
        options={FIGURES.map((figure) => ({ value: figure, label: figure }))}
        value={search.by ?? "p50"}
        onChange={(by) => onChange({ by })}
      />
      <RateField rate={search.rate} onChange={(rate) => onChange({ rate })} />
    </div>
  );
}
