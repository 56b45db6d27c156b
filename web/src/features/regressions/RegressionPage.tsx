/** One regression: what changed, which commit made it or that a machine did, and what people say of it. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { regressionQuery } from "@/api/queries";
import { Ago } from "@/components/ui/Ago";
import { Section } from "@/components/ui/Section";
import { docsHref, toRegressions } from "@/lib/paths";
import { clearest, rangeText } from "@/lib/regressions";
import { useTitle } from "@/lib/useTitle";
import { Culprits } from "./components/Culprits";
import { SeriesChanges } from "./components/SeriesChanges";
import { TriageForm } from "./components/TriageForm";
import { Witnesses } from "./components/Witnesses";
import { titleOf, whereText } from "./data";

const route = getRouteApi("/$project/regressions/$regressionId");

export function RegressionPage() {
  const { project, regressionId } = route.useParams();
  const { data } = useSuspenseQuery(regressionQuery(project, Number(regressionId)));
  const { regression, change_points, culprits } = data;
  const changes = clearest(change_points, regression.direction);
  useTitle(`Regression ${regression.regression_id} of ${project}`);
  return (
    <>
      <header>
        <p className="muted">
          <Link {...toRegressions(project)}>Changes</Link>
        </p>
        <h1>{titleOf(regression, culprits)}</h1>
        <p className="lede">
          {whereText(regression)}; {rangeText(regression.after_commit, regression.until_commit)}; found{" "}
          <Ago moment={regression.created_at} />.
          {regression.held_because !== null && ` Nobody is alerted of it: ${regression.held_because}.`}
        </p>
      </header>
      <Section title="What is said of it">
        <TriageForm project={project} regression={regression} />
      </Section>
      {culprits.length > 0 && (
        <Section title="Which commit">
          <Culprits culprits={culprits} />
        </Section>
      )}
      <Section title="What changed">
        <SeriesChanges project={project} changes={changes} />
      </Section>
      <Section
        title="Commit or machine"
        tools={<a href={docsHref("explanation/change-points.md")}>How that is told</a>}
      >
        <Witnesses changes={changes} />
      </Section>
    </>
  );
}
