/** What shows elsewhere how a project is: a badge for a README, feeds for readers. */
import type { ProjectSummary } from "@/api/types";
import { BadgeCode } from "@/components/BadgeCode";
import { CommandLine } from "@/components/ui/CommandLine";
import { Section } from "@/components/ui/Section";
import { projectBadge } from "@/lib/badges";

export function Badges({ summary: { project, visibility } }: { summary: ProjectSummary }) {
  const feed = (name: string) => `${window.location.origin}/api/v1/projects/${project}/${name}.atom`;
  return (
    <>
      <Section title="Badge of the project">
        <BadgeCode badge={projectBadge(project)} />
        <p className="muted">
          A series has a badge of its own, and each chart can be embedded: both are on the page of the series.
          {visibility === "private" && " The project is private: only its members see any of it."}
        </p>
      </Section>
      <Section title="Feeds">
        <div className="badge-code">
          <p className="muted">Regressions, as Atom</p>
          <CommandLine command={feed("regressions")} />
          <p className="muted">Runs, as Atom</p>
          <CommandLine command={feed("runs")} />
        </div>
      </Section>
    </>
  );
}
