/** What shows elsewhere how fast a series is: its badge, ready to copy. */
import { useState } from "react";
import type { SeriesSummary } from "@/api/types";
import { BadgeCode } from "@/components/BadgeCode";
import { Section } from "@/components/ui/Section";
import { Segmented } from "@/components/ui/Segmented";
import { seriesBadge } from "@/lib/badges";
import { headlineName } from "@/lib/cases";

const QUANTILES = (["p50", "p99"] as const).map((value) => ({ value, label: value }));

export function SeriesBadge({ series }: { series: SeriesSummary }) {
  const [quantile, setQuantile] = useState<"p50" | "p99">("p50");
  const { project, series_id, transport } = series;
  const name = `${transport.slug}: ${headlineName(series.case)}`;
  return (
    <Section
      title="Badge"
      tools={
        <Segmented
          label="Quantile of the badge"
          options={QUANTILES}
          value={quantile}
          onChange={setQuantile}
        />
      }
    >
      <BadgeCode badge={seriesBadge({ project, series_id, name }, quantile)} />
    </Section>
  );
}
