/** Latency against message size: which transport is the fastest up to which size, on one machine. */

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { commitsQuery, sweepQuery } from "@/api/queries";
import { sweptLines } from "@/components/chart/swept";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Choice, SelectField } from "@/components/ui/controls";
import { NothingMeasured } from "@/components/ui/states";
import { Unbroken } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { fastestOf } from "@/lib/fastest";
import { useTitle } from "@/lib/hooks";
import { toReference, toSizes } from "@/lib/paths";
import { present } from "@/lib/search";
import { crossingsOf, FIGURES, type Figure, figuresOf, type Load, linesOf, loadsOf } from "@/lib/sweep";
import { scenarioName } from "@/lib/vocabulary";
import { cautionsOf, headlineOf, scopeOf } from "./answer";
import { SweepFrame } from "./SweepFrame";
import { askedSweep, placeAsked, type SweepSearch } from "./search";
import { Cautions } from "./tables";

const route = getRouteApi("/$project/sweep");

export function SweepPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: place } = useSuspenseQuery(placeQuery(project, placeAsked(search)));
  useTitle(`Size sweep of ${project}`);
  if (place === null) {
    return (
      <NothingMeasured
        title="No message was measured in this project yet"
        lede="A size sweep is of round trips or streams with messages of several sizes."
        command="roundtrip run --preset quick"
      />
    );
  }
  return <Sweep project={project} place={place} />;
}

function Sweep({ project, place }: { project: string; place: Place }) {
  const search = route.useSearch();
  const { data: chart } = useSuspenseQuery(sweepQuery(project, askedSweep(place, search)));
  const loads = loadsOf(chart);
  const load = loads.find(({ key }) => key === search.load) ?? loads[0];
  const all = load === undefined ? [] : linesOf(chart, load.key);
  const figures = figuresOf(all);
  const usual = place.scenario === "stream" ? "throughput" : "p50";
  const figure = figures.find((value) => value === (search.show ?? usual)) ?? "p50";
  const lines = sweptLines(all, search.hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const hidden = lines.filter(({ isShown }) => !isShown);
  const crossings = crossingsOf(chart.crossovers, shown);
  const answer = fastestOf(shown, figure, figure === "p50" ? crossings : []);
  const at = search.commit === undefined ? "" : ` at ${shortSha(search.commit)}`;
  return (
    <>
      <header>
        <h1>
          <Unbroken
            text={
              lines.length === 0
                ? `No ${scenarioName(place.scenario)} was measured on ${place.machine}${at} in this way`
                : `${headlineOf(answer, place.machine, figure)}.`
            }
          />
        </h1>
        <p className="lede">
          {scopeOf(place, load, figure)} Beside it: <Link {...toSizes(project)}>how large messages are</Link>{" "}
          and <Link {...toReference(project)}>what others have published</Link>.
        </p>
        <Cautions sentences={cautionsOf(answer, { shown, hidden }, figure)} />
      </header>
      <SweepControls
        project={project}
        place={place}
        loads={loads}
        load={load?.key ?? ""}
        figures={figures}
        figure={figure}
        commit={search.commit}
      />
      {lines.length > 0 && (
        <SweepFrame
          project={project}
          place={place}
          lines={lines}
          crossings={crossings}
          answer={answer}
          figure={figure}
        />
      )}
    </>
  );
}

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

/** What the sweep is of: only what was measured can be chosen, and only where there is a choice. */
export function SweepControls({ project, place, loads, load, figures, figure, commit }: Props) {
  const navigate = useNavigate({ from: "/$project/sweep" });
  const choose = (change: SweepSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), ...QUIETLY });
  const { scenarios } = place;
  return (
    <div className="controls sweep-controls">
      <PlaceChoice place={place} onChoose={choose}>
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
      </PlaceChoice>
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
