/** What others have published, with what was measured here in the same way in columns of its own. */
import { useSuspenseQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { machinesQuery, referencesQuery } from "@/api/queries";
import { toWorked } from "@/lib/paths";
import { counted } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { Publication } from "./components/Publication";
import { publishedRows } from "./data";
import { ownColumns, PROTOCOLS, protocolOf } from "./ours";
import { ownSeriesQuery } from "./series";

const route = getRouteApi("/$project/reference");

export function ReferencePage() {
  const { project } = route.useParams();
  const { data } = useSuspenseQuery(referencesQuery);
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const found = useSuspenseQueries({
    queries: PROTOCOLS.map((protocol) => ownSeriesQuery(project, protocol)),
  });
  useTitle(`Reference of ${project}`);
  const publications = data.references.map((reference) => {
    const protocol = protocolOf(reference);
    const place = PROTOCOLS.findIndex(({ slug }) => slug === reference.slug);
    const series = found[place]?.data.series ?? [];
    const own = protocol === null ? [] : ownColumns(protocol, publishedRows(reference), series);
    return { reference, protocol, series, own };
  });
  const measured = publications.filter(({ own }) => own.length > 0);
  return (
    <>
      <header>
        <h1>{headline(publications.length, measured.length)}</h1>
        <p className="lede">
          Published figures stand as they were printed. What was measured here stands in columns of its own,
          with machine, figure and commit. They are of different machines, systems and programs: read down a
          column, not across; no figure of one is divided by a figure of another.
        </p>
        <ul className="plain-list contents">
          {publications.map(({ reference: { slug, title, question } }) => (
            <li key={slug}>
              <a href={`#${slug}`}>{title}</a>: <Link {...toWorked(project, slug)}>{question}</Link>
            </li>
          ))}
        </ul>
      </header>
      {publications.map((publication) => (
        <Publication
          key={publication.reference.slug}
          project={project}
          systems={machines.machines.map(({ os }) => os)}
          {...publication}
        />
      ))}
    </>
  );
}

function headline(all: number, measured: number): string {
  if (all === 0) return "No publication is known to this server.";
  const of = counted(all, "publication");
  if (measured === 0) return `Of ${of}, none was measured here in the same way yet.`;
  return `Of ${of}, ${measured === all ? "all" : measured} ${measured === 1 ? "was" : "were"} measured here in the same way, at least in part.`;
}
