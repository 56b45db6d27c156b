/** The advisor: ranks transports for adjustable message sizes. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { facetsQuery, sizeProfilesQuery } from "@/api/queries";
import type { AdviceGroup, SizeProfile } from "@/api/types";
import { Choice, optionsOf, Segmented } from "@/components/ui/controls";
import { NothingMeasured } from "@/components/ui/states";
import { Unbroken } from "@/components/ui/text";
import { valuesOf } from "@/lib/choices";
import { useDrafted, useSearchChange, useSettled, useTitle } from "@/lib/hooks";
import { toSizes, toSweep } from "@/lib/paths";
import { present } from "@/lib/search";
import { formatCount } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { answerOf, headlineOf, placeName, placesOf, sentencesOf } from "./data";
import { Groups } from "./Groups";
import { choicesOf, facetsAsked } from "./load";
import {
  type AdvisorChange,
  type AdvisorSearch,
  FIGURES,
  type Figure,
  RATE_MAX,
  SCENARIO,
  type Start,
  startOf,
  withDragged,
} from "./search";
import { scaled } from "./sizes";
import { Traffic } from "./Traffic";
import { useAdvice } from "./useAdvice";

const route = getRouteApi("/$project/advisor");

const COMMAND = "roundtrip run --preset sizes";

/** All machines: omitted in the address. */
const EVERY = "";

export function AdvisorPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data } = useSuspenseQuery(sizeProfilesQuery);
  const { data: facets } = useSuspenseQuery(facetsQuery(project, { scenario: SCENARIO }));
  useTitle(`Advisor of ${project}`);
  const start = startOf(search, data.size_profiles);
  if (facets.machine.length === 0) {
    return (
      <NothingMeasured
        title="No round trips yet"
        lede="The advisor needs several message sizes."
        command={COMMAND}
      />
    );
  }
  return (
    <Advisor
      project={project}
      profiles={data.size_profiles}
      start={start}
      machines={valuesOf(facets.machine)}
    />
  );
}

type Props = { project: string; profiles: SizeProfile[]; start: Start; machines: string[] };

function Advisor({ project, profiles, start, machines }: Props) {
  const written = route.useSearch();
  const write = useSearchChange<AdvisorSearch>();
  const [draft, setDraft] = useDrafted<AdvisorChange>({}, write);
  const search = present({ ...written, ...draft });
  const machine = machines.find((known) => known === search.machine);
  const { data: there } = useSuspenseQuery(facetsQuery(project, facetsAsked(machine)));
  const { placements, placement, modes, mode, wanted } = choicesOf(search, start, machine, there);
  const advice = useAdvice(project, wanted);
  const times = search.times ?? 1;
  const buckets = scaled(withDragged(start.buckets, search.dragged), times);
  const drag = (change: AdvisorChange) => setDraft({ ...draft, ...change });
  const change = (to: AdvisorChange) => {
    setDraft({ ...draft, ...to });
    void write({ ...draft, ...to });
  };
  const { places } = placesOf(advice.data?.groups ?? []);
  const only = places.length === 1 ? (places[0] ?? null) : null;
  return (
    <>
      <header>
        <AdviceText places={advice.data === undefined ? null : places} isEmpty={wanted === null} />
        <p className="lede">
          {only !== null && `${placeName(only)}. `}Estimated from{" "}
          <Link {...toSweep(project)}>per-size measurements</Link>.{" "}
          <Link {...toSizes(project)}>Size profiles</Link>
        </p>
      </header>
      <div className="controls advisor-controls">
        <Choice
          label="Machine"
          values={machines.length > 1 ? [EVERY, ...machines] : machines}
          name={(machine) => (machine === EVERY ? "All machines" : machine)}
          value={search.machine ?? EVERY}
          onChange={(machine) => change({ machine: machine === EVERY ? undefined : machine })}
        />
        <Choice
          label="Placement"
          values={placements}
          name={placementName}
          value={placement ?? ""}
          onChange={(value) => change({ placement: value })}
        />
        <Choice
          label="Mode"
          values={modes}
          name={(value) => modeName(value)}
          value={mode ?? ""}
          onChange={(value) => change({ mode: value })}
        />
        <Segmented<Figure>
          label="Rank by"
          options={optionsOf(FIGURES)}
          value={search.by ?? "p50"}
          onChange={(by) => change({ by })}
        />
        <RateField rate={search.rate} onChange={(rate) => change({ rate })} />
      </div>
      <Traffic
        search={search}
        start={start}
        profiles={profiles}
        group={only}
        onChange={change}
        onDrag={drag}
      />
      <Groups
        project={project}
        advice={advice}
        isEmpty={wanted === null}
        command={COMMAND}
        buckets={buckets}
        onLonger={(factor) => change({ times: times * factor === 1 ? undefined : times * factor })}
      />
    </>
  );
}

/** Screen readers announce the answer after this pause. */
const REST_MS = 600;

type AdviceTextProps = {
  /** `null` while loading. */
  places: AdviceGroup[] | null;
  isEmpty: boolean;
};

/** The recommendation as a headline; the rest of the answer if there is one place. */
function AdviceText({ places, isEmpty }: AdviceTextProps) {
  const shown = isEmpty ? [] : (places ?? []);
  const headline = isEmpty ? "No messages" : places === null ? "Fastest transport" : headlineOf(places);
  const [only, ...others] = shown;
  const rest = only === undefined || others.length > 0 ? [] : sentencesOf(only.answer).slice(1);
  const answers = others.length > 0 ? shown.map((group) => `${placeName(group)}: ${answerOf(group)}`) : rest;
  const spoken = useSettled([headline, ...answers].join(" "), REST_MS);
  return (
    <>
      <h1>
        <Unbroken text={headline} />
      </h1>
      {rest.length > 0 && <p className="answers">{rest.join(" ")}</p>}
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}

type RateFieldProps = { rate: number | undefined; onChange: (rate: number | undefined) => void };

/** Messages per second, for the CPU share. */
function RateField({ rate, onChange }: RateFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(String(rate ?? ""));
  useEffect(() => setTyped(String(rate ?? "")), [rate]);
  const isWrong = typed !== "" && !isRate(typed);
  return (
    <label className="field rate">
      Messages per second
      <input
        inputMode="numeric"
        value={typed}
        placeholder="any"
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        onChange={({ target }) => {
          const value = target.value.replaceAll(/[\s,]/g, "");
          setTyped(value);
          if (value === "") onChange(undefined);
          else if (isRate(value)) onChange(Number(value));
        }}
      />
      {isWrong && (
        <span id={id} className="warning" role="alert">
          Expected 1 to {formatCount(RATE_MAX)}
        </span>
      )}
    </label>
  );
}

function isRate(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number(text) <= RATE_MAX;
}
