/** The profiles of both sides of a regression: a flame graph of the difference, and a table by function. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useRef } from "react";
import { profileQuery, regressionQuery, seriesQuery } from "@/api/queries";
import type { ProfileComparison, RegressionDetail } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { num, tableOf, word } from "@/components/chart/DataTable";
import { useFrame } from "@/components/chart/useFrame";
import { Choice, optionsOf, SelectField } from "@/components/ui/controls";
import { Breadcrumb } from "@/components/ui/states";
import { ShortSha } from "@/components/ui/text";
import {
  type Flame,
  type FunctionRow,
  flameOf,
  functionRows,
  type Match,
  matchOf,
  mostChanged,
  type Time,
  type View,
} from "@/lib/flame";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { profileHref, toRegression, toRegressions } from "@/lib/paths";
import { clearest, seriesText } from "@/lib/regressions";
import { oneOf, text } from "@/lib/search";
import { isSite } from "@/lib/site";
import { counted, formatNs, upperFirst } from "@/lib/units";
import { useKeys } from "@/lib/useKeys";
import { matchText, signedNs } from "./data";
import { FlameGraph } from "./FlameGraph";
import { type ProfileSearch, TIMES, VIEWS } from "./search";

const route = getRouteApi("/$project/regressions/$regressionId/profile");

const TIME_NAMES: Record<Time, string> = { both: "All time", "on-cpu": "On CPU", waiting: "Waiting" };

/** The formats of the files, with the endings of their names. */
const FILES = [
  ["folded", "Folded stacks", "folded"],
  ["pprof", "pprof", "pb.gz"],
  ["firefox", "Firefox Profiler", "json"],
] as const;

/** The name of the chart in the address. */
const NAME = "profile";

const TABLE_SUMMARY = "Own: time per message without callees; total: with callees. Largest own change first.";

const SUMMARIES: Record<View, string> = {
  difference:
    "Width: time per message in head, or in base for code that only base ran. Colour: change of that time, with callees.",
  head: "Width: time per message in head, with callees.",
  base: "Width: time per message in base, with callees.",
};

export function ProfilePage() {
  const { project, regressionId } = route.useParams();
  const id = Number(regressionId);
  const { data: profile } = useSuspenseQuery(profileQuery(project, id));
  const { data: detail } = useSuspenseQuery(regressionQuery(project, id));
  useTitle(`Profiles of regression ${id} of ${project}`);
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toRegressions(project)}>Regressions</Link>
          <Link {...toRegression(project, id)}>Regression {id}</Link>
        </Breadcrumb>
        <Heading detail={detail} />
        <p className="lede">
          <SeriesName detail={detail} />
          {counted(profile.base_messages, "message")} in base, {counted(profile.head_messages, "message")} in
          head.
          {!isSite() && (
            <>
              {" "}
              Download:{" "}
              {FILES.map(([format, name, ending], index) => (
                <span key={format}>
                  {index > 0 && ", "}
                  <a href={profileHref(project, id, format)} download={`${project}-${id}.${ending}`}>
                    {name}
                  </a>
                </span>
              ))}
            </>
          )}
        </p>
      </header>
      <Graph profile={profile} fileName={`${project}-${id}-functions`} />
    </>
  );
}

function Heading({ detail: { regression } }: { detail: RegressionDetail }) {
  const { explanation, after_commit, culprit_commit, until_commit } = regression;
  return (
    <h1>
      Profiles of base <ShortSha sha={explanation?.base_sha ?? after_commit.sha} /> and head{" "}
      <ShortSha sha={(culprit_commit ?? until_commit).sha} />
    </h1>
  );
}

/** The profiled series, if only one changed. */
function SeriesName({ detail: { change_points, regression } }: { detail: RegressionDetail }) {
  const [change, ...others] = clearest(change_points, regression.direction);
  const isOnly = change !== undefined && others.length === 0;
  const { data: series } = useQuery({ ...seriesQuery(change?.series_id ?? 0), enabled: isOnly });
  // Without a request, the series could still be cached.
  return !isOnly || series === undefined ? null : `${upperFirst(seriesText(series, series.series_id))}: `;
}

function Graph({ profile, fileName }: { profile: ProfileComparison; fileName: string }) {
  const search = route.useSearch();
  const change = useSearchChange<ProfileSearch>();
  const { isTable } = useFrame(NAME);
  const input = useRef<HTMLInputElement>(null);
  const { view = "difference", time = "both" } = search;
  const end = profile.ends.find(({ name }) => name === search.end) ?? mostChanged(profile);
  const flame = useMemo(() => (end === undefined ? null : flameOf(profile, end, time)), [profile, end, time]);
  // Typing stays fast while the graph follows.
  const query = useDeferredValue(search.q);
  const match = useMemo(() => (flame === null ? null : matchOf(flame, query)), [flame, query]);
  useKeys({ title: "Profiles", keys: [["f", "find a function", () => input.current?.focus()]] });
  if (flame === null || end === undefined) return <p className="section">The profiles are empty.</p>;
  return (
    <ChartFrame
      name={NAME}
      title="Time per message by call stack"
      summary={isTable ? TABLE_SUMMARY : SUMMARIES[view]}
      table={tableByFunction(flame, match, fileName)}
      controls={
        <div className="controls">
          <SelectField
            label="End"
            options={optionsOf(profile.ends.map(({ name }) => name))}
            value={end.name}
            onChange={(name) => change({ end: name })}
          />
          <Choice
            label="View"
            values={isTable ? [] : [...VIEWS]}
            name={upperFirst}
            value={view}
            onChange={(value) => change({ view: oneOf(VIEWS)(value) })}
          />
          <Choice
            label="Time"
            values={[...TIMES]}
            name={(value) => TIME_NAMES[oneOf(TIMES)(value) ?? "both"]}
            value={time}
            onChange={(value) => change({ time: oneOf(TIMES)(value) })}
          />
          <label className="field">
            Function
            <input
              ref={input}
              type="search"
              size={16}
              placeholder="find"
              value={search.q ?? ""}
              onChange={({ target }) => change({ q: text(target.value) })}
            />
          </label>
          <span className="flame-match" role="status">
            {match !== null && matchText(match)}
          </span>
        </div>
      }
    >
      <FlameGraph key={end.name} flame={flame} view={view} match={match} />
    </ChartFrame>
  );
}

function tableByFunction(flame: Flame, match: Match | null, fileName: string): ChartTable {
  const column = (label: string, name: string, value: (row: FunctionRow) => number, write = formatNs) =>
    num<FunctionRow>(label, name, value, write);
  return tableOf(fileName, () => functionRows(flame, match), [
    word(
      "Function",
      "function",
      ({ name }) => name,
      ({ name }) => <span className="flame-name">{name}</span>,
    ),
    column("Own change", "own_change_ns", ({ ownChange }) => ownChange, signedNs),
    column("Own, base", "own_base_ns", ({ own }) => own.base),
    column("Own, head", "own_head_ns", ({ own }) => own.head),
    column("Total change", "total_change_ns", ({ totalChange }) => totalChange, signedNs),
    column("Total, base", "total_base_ns", ({ total }) => total.base),
    column("Total, head", "total_head_ns", ({ total }) => total.head),
  ]);
}
