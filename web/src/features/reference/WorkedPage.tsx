/** The question that a publication raises, answered by what was measured here: the answer first, the evidence under it. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { referencesQuery, workedQuery } from "@/api/queries";
import type { Reference, WorkedMachine } from "@/api/types";
import { Choice } from "@/components/ui/Choice";
import { CommandLine } from "@/components/ui/CommandLine";
import { toAdvisor, toReference, toSweep, toTopology } from "@/lib/paths";
import { present } from "@/lib/search";
import { useTitle } from "@/lib/useTitle";
import { Evidence } from "./components/Evidence";

const route = getRouteApi("/$project/reference/$reference");

export function WorkedPage() {
  const { project, reference: slug } = route.useParams();
  const { machine: asked } = route.useSearch();
  const navigate = useNavigate({ from: "/$project/reference/$reference" });
  const { data } = useSuspenseQuery(workedQuery(project, slug));
  const { data: published } = useSuspenseQuery(referencesQuery);
  useTitle(data.question);
  const machines = data.machines.map(({ machine }) => machine);
  const answered = data.machines.find(({ machine }) => machine === asked) ?? data.machines[0];
  const reference = published.references.find((entry) => entry.slug === slug);
  return (
    <>
      <header>
        <p className="question">{data.question}</p>
        <h1>{answered?.answer ?? "Nothing that answers this was measured in this project yet."}</h1>
        {reference !== undefined && <Published project={project} reference={reference} />}
      </header>
      {machines.length > 1 && (
        <div className="controls">
          <Choice
            label="Machine"
            values={machines}
            name={(machine) => machine}
            value={answered?.machine ?? ""}
            onChange={(machine) =>
              navigate({
                search: (previous) => present({ ...previous, machine }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
      )}
      {answered !== undefined && <Answered project={project} slug={slug} answered={answered} />}
      {reference !== undefined && <NotComparable reference={reference} />}
      <section className="section" aria-labelledby="measure">
        <h2 id="measure">{answered === undefined ? "What would answer it" : "Measure it on your machine"}</h2>
        <p className="section-note">
          In a clone of the project, this measures what answers it and sends it to this page:
        </p>
        <CommandLine command={`roundtrip run --preset ${data.preset} --upload ${window.location.origin}`} />
      </section>
    </>
  );
}

function Published({
  project,
  reference: { slug, title, summary },
}: {
  project: string;
  reference: Reference;
}) {
  return (
    <p className="lede">
      {summary} That is what{" "}
      <Link {...toReference(project)} hash={slug}>
        {title}
      </Link>{" "}
      says; the answer is of what was measured here.
    </p>
  );
}

/** Where the same figures are looked at in other ways. */
function Further({ project, slug }: { project: string; slug: string }) {
  switch (slug) {
    case "chromium-mach-vs-fifo":
      return <Link {...toAdvisor(project)}>The advisor ranks them for other sizes, too.</Link>;
    case "libipc-macos-backends":
      return <Link {...toTopology(project)}>Topology has all rings over their members.</Link>;
    case "freebsd-pipes-and-sockets":
      return <Link {...toSweep(project)}>The size sweep has all transports.</Link>;
    default:
      return null;
  }
}

type AnsweredProps = { project: string; slug: string; answered: WorkedMachine };

function Answered({ project, slug, answered: { machine, reasons, tables } }: AnsweredProps) {
  return (
    <>
      <section className="section" aria-labelledby="reasons">
        <h2 id="reasons">What that rests on</h2>
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        <p className="section-note">
          <Further project={project} slug={slug} />
        </p>
      </section>
      {tables.map((evidence, place) => (
        <Evidence
          key={evidence.title}
          project={project}
          fileName={`${slug}-${machine}-${place + 1}`}
          evidence={evidence}
        />
      ))}
    </>
  );
}

function NotComparable({ reference: { not_comparable_because } }: { reference: Reference }) {
  return (
    <section className="section" aria-labelledby="not-comparable">
      <h2 id="not-comparable">What is not comparable with what was published</h2>
      <ul className="reasons">
        {not_comparable_because.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </section>
  );
}
