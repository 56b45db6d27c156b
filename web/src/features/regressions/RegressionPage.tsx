/** One regression: its evidence, actions, affected series and notes. */
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { regressionQuery, seriesQuery } from "@/api/queries";
import type { ChangePoint, RegressionChange, SeriesSummary } from "@/api/types";
import { FormError } from "@/components/form";
import { TextButton } from "@/components/ui/controls";
import { Breadcrumb, Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { CommitName, ValueText } from "@/components/ui/text";
import { changeText } from "@/lib/changes";
import { useTitle } from "@/lib/hooks";
import { toRegressions, toSeries } from "@/lib/paths";
import { clearest, seriesText } from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { formatCount } from "@/lib/units";
import { useKeys } from "@/lib/useKeys";
import { Actions, UndoNotice } from "./Actions";
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
        <SeriesChanges project={project} changes={clearest(change_points, regression.direction)} />
      </Section>
      {!isSite() && <Timeline project={project} regressionId={regression.regression_id} />}
      <Notes regression={regression} triage={triage} />
      <UndoNotice done={triage.done} />
    </>
  );
}

/** Of hundreds of series, the largest changes are shown first. */
const SHOWN_MAX = 20;

function SeriesChanges({ project, changes }: { project: string; changes: ChangePoint[] }) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, SHOWN_MAX);
  const answers = useQueries({ queries: shown.map(({ series_id }) => seriesQuery(series_id)) });
  const left = changes.length - shown.length;
  const level = (stored: number, series: SeriesSummary | undefined) =>
    series !== undefined && <ValueText plain stored={Math.round(stored)} of={series.case} />;
  return (
    <>
      <RowTable
        label="Series"
        rows={shown.map((change, index) => ({ ...change, series: answers[index]?.data }))}
        keyOf={({ change_point_id }) => change_point_id}
        columns={[
          [
            rowHead("Series"),
            ({ series_id, series }) => (
              <Link {...toSeries(project, series_id)}>{seriesText(series, series_id)}</Link>
            ),
            "name",
          ],
          ["Percentile", ({ figure }) => figure, "muted"],
          [numeric("Before"), ({ before_level, series }) => level(before_level, series)],
          [numeric("After"), ({ after_level, series }) => level(after_level, series)],
          [
            numeric("Change"),
            ({ change, direction }) => (
              <span className={`change change-${direction}`}>{changeText(change)}</span>
            ),
          ],
          changes[0]?.kind === "drift"
            ? [
                "Range",
                ({ after_commit_ordinal, commit_ordinal }) =>
                  `#${after_commit_ordinal} to #${commit_ordinal}`,
              ]
            : ["First measured", ({ commit_sha: sha }) => <CommitName commit={{ sha }} />],
        ]}
      />
      {left > 0 && (
        <p className="section-note">
          <TextButton onClick={() => setIsAll(true)}>Show {formatCount(left)} more</TextButton>
        </p>
      )}
    </>
  );
}
