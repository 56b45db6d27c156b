/** The file that the pinned point is from, and what it says of itself. */
import type { RunDetail, SeriesSummary } from "@/api/types";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { fileFacts } from "@/lib/imports";
import { originalHref } from "@/lib/paths";

export function FileSection({ series, run }: { series: SeriesSummary; run: RunDetail | null }) {
  const original = run?.original ?? null;
  if (run === null || original === null) return null;
  return (
    <Section title="File">
      <Facts
        facts={[
          {
            name: "name",
            value:
              run.pruned.upload_at === null ? (
                <a href={originalHref(run.run.run_id)} download={original.name}>
                  {original.name}
                </a>
              ) : (
                original.name
              ),
          },
          { name: "format", value: series.transport.title },
          ...fileFacts(run.results),
        ]}
      />
    </Section>
  );
}
