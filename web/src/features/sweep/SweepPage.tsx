/** Latency by message size: the fastest transport for each size, on one machine. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { commitsQuery, sweepQuery } from "@/api/queries";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DataTable, saveCsv } from "@/components/chart/DataTable";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { colouredOf, contextStyle } from "@/components/chart/lines";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { sweepTable } from "@/components/chart/sweepTable";
import { captionOf, drawnLines, type SweptLine, sweptLines } from "@/components/chart/swept";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Choice, optionsOf, Segmented, SelectField, TextButton } from "@/components/ui/controls";
import { NothingMeasured, Section } from "@/components/ui/states";
import { Sentences, Unbroken } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { type Answer, EQUAL_WITHIN, fastestOf } from "@/lib/fastest";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toReference, toSizes } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { crossingsOf, FIGURES, figuresOf, linesOf, positionsOf } from "@/lib/sweep";
import { counted } from "@/lib/units";
import { scenarioName } from "@/lib/vocabulary";
import { caveatsOf, crossoversOf, headlineOf, pairOf, scopeOf, usualPair } from "./answer";
import { Budgets } from "./Budgets";
import { SizePanels, TransportPanels } from "./Panels";
import { askedSweep, PANELS, type Panels, placeAsked, type SweepSearch } from "./search";
import { crossingsTable, LoadField } from "./tables";
import { chosenLoad } from "./topology";

const route = getRouteApi("/$project/sweep");

const COMMITS_OFFERED = 50;
const HEIGHT_PX = 440;

export function SweepPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: place } = useSuspenseQuery(placeQuery(project, placeAsked(search)));
  useTitle(`Size sweep of ${project}`);
  if (place === null) {
    return (
      <NothingMeasured
        title="No measurements yet"
        lede="A size sweep needs several message sizes."
        command="roundtrip run --preset quick"
      />
    );
  }
  return <Sweep project={project} place={place} />;
}

function useSweep(project: string, place: Place) {
  const search = route.useSearch();
  const { data: chart } = useSuspenseQuery(sweepQuery(project, askedSweep(place, search)));
  const { loads, load } = chosenLoad(chart, search.load);
  const all = load === undefined ? [] : linesOf(chart, load.key);
  const figures = figuresOf(all);
  const usual = place.scenario === "stream" ? "throughput" : "p50";
  const figure = figures.find((value) => value === (search.show ?? usual)) ?? "p50";
  const lines = sweptLines(all, search.hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const hidden = lines.filter(({ isShown }) => !isShown);
  const crossings = crossingsOf(chart.crossovers, shown);
  const answer = fastestOf(shown, figure, figure === "p50" ? crossings : []);
  const ordinal = chart.commit?.ordinal;
  return { project, place, loads, load, figures, figure, lines, shown, hidden, crossings, answer, ordinal };
}

type SweepProps = ReturnType<typeof useSweep>;

function Sweep({ project, place }: { project: string; place: Place }) {
  const { commit } = route.useSearch();
  const sweep = useSweep(project, place);
  const { load, figure, lines, shown, hidden, answer } = sweep;
  const caveats = caveatsOf(answer, { shown, hidden }, figure);
  const at = commit === undefined ? "" : ` at ${shortSha(commit)}`;
  return (
    <>
      <header>
        <h1>
          <Unbroken
            text={
              lines.length === 0
                ? `No ${scenarioName(place.scenario)} results on ${place.machine}${at}`
                : `${headlineOf(answer, place.machine, figure)}.`
            }
          />
        </h1>
        <p className="lede">
          {scopeOf(place, load, figure)} <Link {...toSizes(project)}>Message sizes</Link>,{" "}
          <Link {...toReference(project)}>published figures</Link>
        </p>
        {caveats.length > 0 && <Sentences of={caveats} className="cautions" />}
      </header>
      <SweepControls {...sweep} />
      {lines.length > 0 && <SweepLines {...sweep} />}
      <Budgets {...sweep} />
    </>
  );
}

function SweepControls({ project, place, loads, load, figures, figure }: SweepProps) {
  const { commit } = route.useSearch();
  const change = useSearchChange<SweepSearch>();
  const { data } = useQuery(commitsQuery(project, { limit: COMMITS_OFFERED }));
  const offered = data?.commits ?? [];
  const isOffered = commit === undefined || offered.some(({ sha }) => sha === commit);
  return (
    <div className="controls sweep-controls">
      <PlaceChoice place={place} onChoose={change}>
        {place.scenarios.length > 1 && (
          <SelectField
            label="Scenario"
            options={optionsOf(place.scenarios, scenarioName)}
            value={place.scenario}
            // Another scenario has other loads, lines and metrics.
            onChange={(scenario) =>
              change({ scenario, load: undefined, show: undefined, hidden: undefined, pair: undefined })
            }
          />
        )}
      </PlaceChoice>
      <LoadField loads={loads} load={load} onChange={change} />
      <Choice
        label="Metric"
        values={figures}
        name={(value) => value}
        value={figure}
        onChange={(value) => change({ show: FIGURES.find((known) => known === value) })}
      />
      {!isSite() && (
        <div className="commit-choice">
          <SelectField
            label="Commit"
            options={[
              { value: "", label: "Newest per line" },
              ...(isOffered ? [] : [{ value: commit, label: shortSha(commit) }]),
              ...offered.map(({ sha, subject }) => ({ value: sha, label: `${shortSha(sha)} ${subject}` })),
            ]}
            value={commit ?? ""}
            onChange={(sha) => change({ commit: sha === "" ? undefined : sha })}
          />
        </div>
      )}
    </div>
  );
}

function SweepLines({ project, place, load, lines, shown, crossings, answer, figure }: SweepProps) {
  const { hidden, pair: asked, commit, panels = "one" } = route.useSearch();
  const change = useSearchChange<SweepSearch>();
  const { pointed, ...choice } = useLineChoice(hidden);
  const pair = figure === "p50" ? pairOf(lines, asked) : null;
  const crossovers = crossoversOf(answer, crossings, pair);
  const marked = crossovers.flatMap(({ crossing }) => crossing ?? []);
  const drawn = drawnLines(lines, answer, figure);
  const coloured = colouredOf(drawn);
  const measure = figure === "throughput" ? RATE : LATENCY;
  const at = commit === undefined ? [] : [shortSha(commit)];
  const parts = [place.machine, place.scenario, place.mode, place.placement];
  const fileName = [...parts, "sweep", figure, ...at].join("-");
  const table = crossingsTable(`${fileName}-crossovers`, crossovers);
  const what = figure === "throughput" ? "Throughput" : `Latency (${figure})`;
  return (
    <>
      <ChartFrame
        name="sweep"
        title={`${what} by message size on ${place.machine}`}
        subject={[scopeOf(place, load, figure), ...at.map((sha) => `Commit ${sha}.`)].join(" ")}
        summary={`${shown.length === lines.length ? "" : `${shown.length} of ${counted(lines.length, "line")}. `}${PANEL_NOTES[panels]} Click a name to hide its line.`}
        table={sweepTable(project, fileName, shown, figure)}
        controls={
          <Segmented
            label="Panels"
            options={optionsOf(PANELS, (value) => PANEL_NAMES[value])}
            value={panels}
            onChange={(value) => change({ panels: value })}
          />
        }
        legend={
          <LineChoice
            label="Lines"
            lines={lines.map((line) =>
              panels !== "one" || coloured.has(line.key) || line.key === pointed
                ? line
                : { ...line, style: contextStyle(line.style) },
            )}
            {...choice}
          />
        }
      >
        {panels === "transport" && (
          <TransportPanels lines={drawn} sizes={positionsOf(lines)} measure={measure} />
        )}
        {panels === "size" && <SizePanels lines={drawn} measure={measure} isRate={figure === "throughput"} />}
        {panels === "one" && (
          <SweepChart
            name={`${what} of each transport by message size`}
            lines={drawn}
            measure={measure}
            height_px={HEIGHT_PX}
            sizes={positionsOf(lines)}
            crossings={marked.map((crossing) => ({ ...crossing, label: captionOf(crossing) }))}
            emphasised={new Set(pointed === null ? pair?.map(({ key }) => key) : [pointed])}
            onPick={choice.onToggle}
          />
        )}
      </ChartFrame>
      <Section
        title="Crossovers"
        tools={
          crossovers.length > 0 && (
            <div className="tools">
              <TextButton onClick={() => saveCsv(table)}>CSV</TextButton>
            </div>
          )
        }
      >
        <p className="chart-summary">
          {figure === "p50"
            ? "Sizes of equal p50, with 95 % CI. Unbounded: tied up to the last measured size."
            : "Changes at measured sizes."}
        </p>
        {figure === "p50" && <CrossoverChoice lines={shown} pair={pair} answer={answer} />}
        {crossovers.length > 0 ? (
          <div className="subsection">
            <DataTable title="Crossovers" table={table} />
          </div>
        ) : (
          <p className="section-note">
            {pair === null ? "One line is fastest at all sizes." : "They do not cross at common sizes."}
          </p>
        )}
      </Section>
    </>
  );
}

const PANEL_NOTES: Record<Panels, string> = {
  one: "Colour: fastest at some size.",
  transport: "Each line over the others.",
  size: `Bold: within ${EQUAL_WITHIN * 100} % of the fastest. Log scale.`,
};
const PANEL_NAMES: Record<Panels, string> = { one: "One chart", transport: "By transport", size: "By size" };

type CrossoverChoiceProps = { lines: SweptLine[]; pair: [SweptLine, SweptLine] | null; answer: Answer };

/** Which crossovers are marked: changes of the fastest line, or all between two lines. */
function CrossoverChoice({ lines, pair, answer }: CrossoverChoiceProps) {
  const change = useSearchChange<SweepSearch>();
  const offered = usualPair(answer, lines);
  if (offered === undefined) return null;
  const options = (other: SweptLine) =>
    lines.filter(({ key }) => key !== other.key).map(({ key, label }) => ({ value: key, label }));
  return (
    <div className="controls">
      <Segmented
        label="Crossovers"
        options={[
          { value: "fastest", label: "Fastest changes" },
          { value: "pair", label: "Two lines" },
        ]}
        value={pair === null ? "fastest" : "pair"}
        onChange={(value) => change({ pair: value === "pair" ? offered : undefined })}
      />
      {pair !== null && (
        <>
          <SelectField
            label="First line"
            options={options(pair[1])}
            value={pair[0].key}
            onChange={(key) => change({ pair: `${key}.${pair[1].key}` })}
          />
          <SelectField
            label="Second line"
            options={options(pair[0])}
            value={pair[1].key}
            onChange={(key) => change({ pair: `${pair[0].key}.${key}` })}
          />
        </>
      )}
    </div>
  );
}
