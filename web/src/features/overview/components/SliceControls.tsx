/** Chooses the slice that the grid shows. Only what was measured can be chosen, and only where there is a choice. */
import { useNavigate } from "@tanstack/react-router";
import { Choice } from "@/components/ui/Choice";
import { SelectField } from "@/components/ui/SelectField";
import { endsOf, type Parameters, parameterNames, parametersKey } from "@/lib/cases";
import { formatBytes } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import type { OverviewSearch } from "../search";
import { caseOf, type Slice, type SliceOptions } from "../slice";

type Props = { options: SliceOptions; parameters: Parameters[]; slice: Slice };

export function SliceControls({ options, parameters, slice }: Props) {
  const navigate = useNavigate({ from: "/$project/" });
  const { scenarios, modes, placements, sizes } = options;
  const choose = (change: OverviewSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), replace: true, resetScroll: false });
  return (
    <div className="controls">
      <Choice
        label="Scenario"
        values={scenarios}
        name={scenarioName}
        value={slice.scenario}
        onChange={(scenario) => choose({ scenario })}
      />
      <Choice
        label="Mode"
        values={modes}
        name={(mode) => modeName(mode, endsOf(slice.parameters))}
        value={slice.mode}
        onChange={(mode) => choose({ mode })}
      />
      <Choice
        label="Placement"
        values={placements}
        name={placementName}
        value={slice.placement}
        onChange={(placement) => choose({ placement })}
      />
      <SelectField
        label={slice.scenario === "stream" ? "Write size" : "Message size"}
        options={sizes.map((size) => ({ value: String(size), label: formatBytes(size) }))}
        value={String(slice.bytes)}
        onChange={(size) => choose({ bytes: Number(size) })}
      />
      {parameters.length > 1 && (
        <SelectField
          label="Parameters"
          options={parameters.map((entry) => ({
            value: parametersKey(entry),
            label: parameterNames(caseOf({ ...slice, parameters: entry })).join(", ") || "none set",
          }))}
          value={parametersKey(slice.parameters)}
          onChange={(key) => choose({ parameters: key })}
        />
      )}
    </div>
  );
}
