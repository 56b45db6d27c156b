/** Who changed what on this server, the newest first. Nobody changes a line of it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { auditQuery } from "@/api/queries";
import type { AuditEvent, SessionInfo } from "@/api/types";
import { Loaded } from "@/components/form/Loaded";
import { NotAllowed } from "@/components/form/NotAllowed";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { toSettings } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import { detailsText } from "../data";

const route = getRouteApi("/$project/settings");

const EVENTS = 50;

export function Audit({ project, session }: { project: string; session: SessionInfo }) {
  const { after } = route.useSearch();
  const isAllowed = refusal(session, "", "run-server") === null;
  const log = useQuery({
    ...auditQuery({ limit: EVENTS, ...(after === undefined ? {} : { after }) }),
    enabled: isAllowed,
  });
  return (
    <Section title="Audit log of this server">
      {isAllowed ? (
        <Loaded query={log}>
          {({ events, next_after }) => (
            <>
              <EventTable events={events} />
              {next_after !== null && (
                <p className="section-note">
                  <Link
                    {...toSettings(project)}
                    search={{ section: "audit", after: next_after }}
                    className="button"
                  >
                    Earlier ones
                  </Link>
                </p>
              )}
            </>
          )}
        </Loaded>
      ) : (
        <NotAllowed session={session} project={project} action="run-server" what="read it" />
      )}
    </Section>
  );
}

function EventTable({ events }: { events: AuditEvent[] }) {
  return (
    <ScrollRegion label="Audit log">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">when</th>
            <th scope="col">who</th>
            <th scope="col">what</th>
            <th scope="col">on what</th>
            <th scope="col">details</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events of one transaction are told apart by their place alone.
            <tr key={index}>
              <td title={event.request_id === null ? undefined : `Request ${event.request_id}`}>
                {formatMoment(event.happened_at)}
              </td>
              <td>{event.actor}</td>
              <th scope="row">{event.action}</th>
              <td>{event.subject}</td>
              <td className="wrap muted">{detailsText(event.details)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
