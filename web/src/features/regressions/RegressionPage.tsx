/** One regression: its evidence, actions, affected series and notes. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { regressionQuery } from "@/api/queries";
import type { RegressionChange } from "@/api/types";
import { FormError } from "@/components/form";
import { Breadcrumb, Section } from "@/components/ui/states";
import { useTitle } from "@/lib/hooks";
import { toRegressions } from "@/lib/paths";
import { clearest } from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { useKeys } from "@/lib/useKeys";
import { Actions, UndoNotice } from "./Actions";
import { AffectedSeries } from "./AffectedSeries";
import { titleOf } from "./data";
import { Evidence } from "./Evidence";
import { Notes } from "./Notes";
import { Standing } from "./Standing";
import { Timeline } from "./Timeline";
import { triageKeys, useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions/$regressionId");

export function RegressionPage() {
  const { project, regressionId } = route.useParams();
  const { data: detail } = useSuspenseQuery(regressionQuery(project, Number(regressionId)));
  const { regression, change_points, culprits } = detail;
  const changes = useMemo(
    () => clearest(change_points, regression.direction),
    [change_points, regression.direction],
  );
  const triage = useTriage(project);
  const apply = (change: RegressionChange) => triage.mutate({ regressions: [regression], change });
  useTitle(`Regression ${regression.regression_id} of ${project}`);
  useKeys({ title: "Regression", keys: triageKeys(apply, triage) });
  return (
    <>
      <header className="regression-head">
        <Breadcrumb>
          <Link {...toRegressions(project)}>Regressions</Link>
          {`Regression ${regression.regression_id}`}
        </Breadcrumb>
        <h1>{titleOf(regression, culprits)}</h1>
        <Standing regression={regression} />
      </header>
      <Actions project={project} detail={detail} triage={triage} />
      <FormError error={triage.error} />
      <Evidence project={project} detail={detail} />
      <Section title="Affected series">
        <AffectedSeries project={project} changes={changes} search={route.useSearch()} />
      </Section>
      {!isSite() && <Timeline project={project} regressionId={regression.regression_id} />}
      <Notes regression={regression} triage={triage} />
      <UndoNotice done={triage.done} />
    </>
  );
}
