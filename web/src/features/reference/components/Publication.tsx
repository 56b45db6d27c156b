/** One publication: what it says, why its figures are not ours, how they came about, and its table with our columns. */
import { Link } from "@tanstack/react-router";
import type { Reference, SeriesSummary } from "@/api/types";
import { CommandLine } from "@/components/ui/CommandLine";
import { Facts } from "@/components/ui/Facts";
import { docsHref, toWorked } from "@/lib/paths";
import type { OwnColumn, Protocol } from "../ours";
import { PublishedFrame } from "./PublishedFrame";

type Props = {
  project: string;
  reference: Reference;
  protocol: Protocol | null;
  series: SeriesSummary[];
  own: OwnColumn[];
  /** Of all machines of the project. */
  systems: string[];
};

export function Publication({ project, reference, protocol, series, own, systems }: Props) {
  const { slug, title, question, source, summary, methodology, not_comparable_because, rows, statements } =
    reference;
  return (
    <section className="section publication" id={slug} aria-labelledby={`${slug}-title`}>
      <h2 id={`${slug}-title`}>{title}</h2>
      <p className="publication-summary">{summary}</p>
      <p className="section-note">Source: {source}.</p>
      <p>
        <Link {...toWorked(project, slug)}>{question}</Link>
      </p>
      <div className="columns subsection">
        <div>
          <h3>What is not comparable with ours</h3>
          <ul className="reasons">
            {reasonsOf(not_comparable_because, protocol, systems).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
        <div>
          <h3>How it was measured, as far as it says</h3>
          <Facts facts={methodology} wide />
        </div>
      </div>
      {statements.length > 0 && (
        <>
          <h3>What it states</h3>
          <ul className="reasons">
            {statements.map((statement) => (
              <li key={statement}>{statement}</li>
            ))}
          </ul>
        </>
      )}
      {rows.length > 0 && (
        <PublishedFrame reference={reference} protocol={protocol} series={series} own={own} />
      )}
      {protocol !== null && (
        <Here protocol={protocol} isMeasured={own.length > 0} hasTable={rows.length > 0} />
      )}
    </section>
  );
}

type HereProps = { protocol: Protocol; isMeasured: boolean; hasTable: boolean };

function Here({ protocol: { preset, document }, isMeasured, hasTable }: HereProps) {
  return (
    <>
      <p className="section-note">
        {isMeasured
          ? "The columns that begin with “here” are ours, of the newest run that measured them. More of it is measured with:"
          : hasTable
            ? "Not measured here. This measures it, in a clone of the project, and sends it to this page:"
            : "It prints no figure to set beside ours. What it states can be looked at here, in the series of this preset:"}
      </p>
      <CommandLine command={`roundtrip run --preset ${preset} --upload ${window.location.origin}`} />
      <p className="section-note">
        <a href={docsHref(document)}>What was found when this suite did it</a>
      </p>
    </>
  );
}

/** Why, and that nothing of ours is of the publication's system, where none of the machines has it. */
function reasonsOf(reasons: string[], protocol: Protocol | null, systems: string[]): string[] {
  const os = protocol?.os ?? null;
  if (os === null || systems.includes(os.slug)) return reasons;
  return [
    `No machine of this project has ${os.name}: what only that system has, nobody has run here.`,
    ...reasons,
  ];
}
