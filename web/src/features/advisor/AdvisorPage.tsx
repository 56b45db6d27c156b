/** Which transport to take for messages of some sizes: they are dragged, and the ranking moves. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { facetsQuery, sizeProfilesQuery } from "@/api/queries";
import type { SizeProfile } from "@/api/types";
import { NothingMeasured } from "@/components/ui/NothingMeasured";
import { chosen, mostMeasured, placementsOf, valuesOf } from "@/lib/choices";
import { toSizes, toSweep } from "@/lib/paths";
import { present } from "@/lib/search";
import { useTitle } from "@/lib/useTitle";
import { AdviceText } from "./components/AdviceText";
import { AdvisorControls } from "./components/AdvisorControls";
import { Groups } from "./components/Groups";
import { Traffic } from "./components/Traffic";
import { groupName } from "./data";
import { type AdvisorChange, adviceAsked, SCENARIO, type Start, startOf, withDragged } from "./search";
import { scaled } from "./sizes";
import { useAdvice } from "./useAdvice";
import { useDrafted } from "./useDrafted";

const route = getRouteApi("/$project/advisor");

/** What measures something to rank. */
const COMMAND = "roundtrip run --preset sizes";

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
        title="No round trip was measured in this project yet"
        lede="The advisor ranks transports for messages of given sizes, from round trips with messages of several sizes."
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
  const navigate = useNavigate({ from: "/$project/advisor" });
  const write = (change: AdvisorChange) =>
    navigate({
      search: (previous) => present({ ...previous, ...change }),
      replace: true,
      resetScroll: false,
    });
  const [draft, setDraft] = useDrafted<AdvisorChange>({}, write);
  const search = present({ ...written, ...draft });
  const asked = machines.find((machine) => machine === search.machine);
  const { data: there } = useSuspenseQuery(
    facetsQuery(project, { scenario: SCENARIO, ...present({ machine: asked }) }),
  );
  const placements = placementsOf(there.placement);
  const placement = chosen(placements, search.placement, "same-cpu", mostMeasured(there.placement));
  const modes = valuesOf(there.mode);
  const mode = chosen(modes, search.mode, "2proc");
  const { machine: _, ...rest } = search;
  const wanted = adviceAsked({ ...rest, ...present({ machine: asked }) }, start, { placement, mode });
  const advice = useAdvice(project, wanted);
  const times = search.times ?? 1;
  const buckets = scaled(withDragged(start.buckets, search.dragged), times);
  const drag = (change: AdvisorChange) => setDraft({ ...draft, ...change });
  const change = (to: AdvisorChange) => {
    setDraft({ ...draft, ...to });
    void write({ ...draft, ...to });
  };
  const groups = advice.data?.groups ?? [];
  const only = groups.length === 1 ? (groups[0] ?? null) : null;
  return (
    <>
      <header>
        <AdviceText advice={advice.data} isEmpty={wanted === null} />
        <p className="lede">
          {only !== null && `${groupName(only, groups)}. `}What messages of these sizes take over each
          transport, put together of what was measured at single sizes. Beside it:{" "}
          <Link {...toSweep(project)}>what was measured at each size</Link> and{" "}
          <Link {...toSizes(project)}>how large messages are</Link>.
        </p>
      </header>
      <AdvisorControls
        search={search}
        machines={machines}
        placements={placements}
        placement={placement}
        modes={modes}
        mode={mode}
        onChange={change}
      />
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
