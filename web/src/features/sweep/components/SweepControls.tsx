/** What the sweep is of: only what was measured can be chosen, and only where there is a choice. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Place } from "@/api/place";
import { commitsQuery } from "@/api/queries";
import { Choice } from "@/components/ui/Choice";
import { SelectField } from "@/components/ui/SelectField";
import { shortSha } from "@/lib/commits";
import { present } from "@/lib/search";
import { FIGURES, type Figure, type Load } from "@/lib/sweep";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import type { SweepSearch } from "../search";

/** As many of the newest commits are offered. */
const COMMITS_OFFERED = 50;

const QUIETLY = { replace: true, resetScroll: false };

type Props = {
  project: string;
  place: Place;
  loads: Load[];
  load: string;
  figures: Figure[];
  figure: Figure;
  commit: string | undefined;
};

export function SweepControls({ project, place, loads, load, figures, figure, commit }: Props) {
  const navigate = useNavigate({ from: "/$project/sweep" });
  const choose = (change: SweepSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), ...QUIETLY });
  const { scenarios, modes, placements, machines } = place;
  return (
    <div className="controls sweep-controls">
      <Choice
        label="Machine"
        values={machines}
        name={(machine) => machine}
        value={place.machine}
        onChange={(machine) => choose({ machine })}
      />
      {scenarios.length > 1 && (
        <SelectField
          label="Scenario"
          options={scenarios.map((value) => ({ value, label: scenarioName(value) }))}
          value={place.scenario}
          onChange={(scenario) =>
            navigate({ search: (previous) => ofScenario(previous, scenario), ...QUIETLY })
          }
        />
      )}
      <Choice
        label="Mode"
        values={modes}
        name={(mode) => modeName(mode)}
        value={place.mode}
        onChange={(mode) => choose({ mode })}
      />
      <Choice
        label="Placement"
        values={placements}
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
      <Choice
        label="Figure"
        values={figures}
        name={(value) => value}
        value={figure}
        onChange={(value) => choose(shown(value))}
      />
      <CommitField
        project={project}
        commit={commit}
        onChange={(sha) =>
          navigate({
            search: ({ commit: _commit, ...rest }) => (sha === "" ? rest : { ...rest, commit: sha }),
            ...QUIETLY,
          })
        }
      />
    </div>
  );
}

/** Another scenario has other loads, lines and figures: what was chosen of these is not kept. */
function ofScenario({ machine, mode, placement, commit }: SweepSearch, scenario: string): SweepSearch {
  return present({ machine, scenario, mode, placement, commit });
}

function shown(value: string): SweepSearch {
  const show = FIGURES.find((figure) => figure === value);
  return show === undefined ? {} : { show };
}

type CommitProps = { project: string; commit: string | undefined; onChange: (sha: string) => void };

function CommitField({ project, commit, onChange }: CommitProps) {
  const { data } = useQuery(commitsQuery(project, { limit: COMMITS_OFFERED }));
  const offered = data?.commits ?? [];
  const isOffered = commit === undefined || offered.some(({ sha }) => sha === commit);
  return (
    <SelectField
      label="Commit"
      options={[
        { value: "", label: "newest of each line" },
        ...(isOffered ? [] : [{ value: commit, label: shortSha(commit) }]),
        ...offered.map(({ sha, subject }) => ({ value: sha, label: `${shortSha(sha)} ${subject}` })),
      ]}
      value={commit ?? ""}
      onChange={onChange}
    />
  );
}
