/** What a series is: everything about it but what the headline says, the message size or the benchmark. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { SeriesSummary } from "@/api/types";
import { parameterNames, parametersKey, parametersOf } from "@/lib/cases";
import { isImported, toolName } from "@/lib/imports";
import { toOverview } from "@/lib/paths";
import { placementName, scenarioName } from "@/lib/vocabulary";

export const Breadcrumb = memo(function Breadcrumb({ series }: { series: SeriesSummary }) {
  if (isImported(series)) return <ImportBreadcrumb series={series} />;
  const { scenario, mode, placement, message_bytes } = series.case;
  const parameters = parametersOf(series.case);
  const slice = { scenario, mode, placement, bytes: message_bytes, parameters: parametersKey(parameters) };
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        <li>{series.machine}</li>
        <li>
          <Link {...toOverview(series.project)} search={slice}>
            {scenarioName(scenario)}
          </Link>
        </li>
        <li>{series.transport.slug}</li>
        <li>{mode}</li>
        <li>{placementName(placement)}</li>
        {parameterNames(series.case).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ol>
    </nav>
  );
});

function ImportBreadcrumb({ series }: { series: SeriesSummary }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        <li>{series.machine}</li>
        <li>
          <Link {...toOverview(series.project)}>imported</Link>
        </li>
        <li>{toolName(series.transport)}</li>
      </ol>
    </nav>
  );
}
