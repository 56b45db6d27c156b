/** The badge of a series, and the code to embed it. */
import { useState } from "react";
import type { SeriesSummary } from "@/api/types";
import { BadgeCode } from "@/components/BadgeCode";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { seriesBadge } from "@/lib/badges";
import { headlineName } from "@/lib/cases";
import { isSite } from "@/lib/site";

const QUANTILES = optionsOf(["p50", "p99"] as const);

export function SeriesBadge({ series }: { series: SeriesSummary }) {
  const [quantile, setQuantile] = useState<"p50" | "p99">("p50");
  const { project, series_id, transport } = series;
  const name = `${transport.slug}: ${headlineName(series.case)}`;
  return (
    <Section
      title="Badge"
      tools={
        !isSite() && (
          <Segmented label="Badge percentile" options={QUANTILES} value={quantile} onChange={setQuantile} />
        )
      }
    >
      <BadgeCode badge={seriesBadge({ project, series_id, name }, quantile)} />
    </Section>
  );
}
