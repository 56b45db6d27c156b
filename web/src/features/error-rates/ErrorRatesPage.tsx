/** How often what is said of a project is wrong: one sentence, then by machine and class of series. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { errorRatesQuery } from "@/api/queries";
import { Ago } from "@/components/ui/Ago";
import { Section } from "@/components/ui/Section";
import { Segmented } from "@/components/ui/Segmented";
import { docsHref } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { Changes } from "./components/Changes";
import { Comparisons } from "./components/Comparisons";
import { comparisonsOf, FIGURES, type Figure, headlineOf } from "./data";

const route = getRouteApi("/$project/error-rates");

export function ErrorRatesPage() {
  const { project } = route.useParams();
  const { data: rates } = useSuspenseQuery(errorRatesQuery(project));
  const [figure, setFigure] = useState<Figure>("p50");
  useTitle(`Error rates of ${project}`);
  if (rates.computed_at === null) return <NotCounted />;
  return (
    <>
      <header>
        <h1>{headlineOf(rates)}</h1>
        <p className="lede">
          {comparisonsOf(rates)} Counted <Ago moment={rates.computed_at} /> of the points of this project,
          once a day.
        </p>
      </header>
      <Section
        title="Changes in series"
        tools={
          <Segmented
            label="Figure"
            options={FIGURES.map((name) => ({ value: name, label: name }))}
            value={figure}
            onChange={setFigure}
          />
        }
      >
        <Changes machines={rates.machines} figure={figure} />
      </Section>
      <Section title="Comparisons of a commit with itself">
        <Comparisons machines={rates.machines} />
      </Section>
      <Section title="How this is counted">
        <Method />
      </Section>
    </>
  );
}

function NotCounted() {
  return (
    <div className="state">
      <h1>Nothing was counted yet</h1>
      <p>
        Once a day the server counts, from the points of this project, how often what it says of each machine
        is wrong. The first figures stand here about an hour after the first run.
      </p>
      <Method />
    </div>
  );
}

function Method() {
  return (
    <p className="section-note">
      Nothing here is simulated from a formula. What is left of each series when its levels are taken away, is
      put together anew in blocks of twenty neighbours: series that scatter as the real ones do, and have no
      change. The search that serves this project runs over them, as they are and with a step that is added.
      Comparisons are of real runs, one half of the repetitions against the other.{" "}
      <a href={docsHref("explanation/error-rates.md")}>How, and what it does not cover</a>.
    </p>
  );
}
