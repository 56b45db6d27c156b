/** Settings of a project; for administrators also accounts and the audit log of the server. */
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { auditQuery, projectQuery, sessionQuery } from "@/api/queries";
import type { ProjectSummary, SessionInfo } from "@/api/types";
import { deleteProject } from "@/api/writes";
import { BadgeCode } from "@/components/BadgeCode";
import { Allowed, Form, Loaded, TextField } from "@/components/form";
import { Older } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead } from "@/components/ui/Table";
import { CommandLine } from "@/components/ui/text";
import { refusal, standing } from "@/lib/access";
import { feedPath, projectBadge } from "@/lib/badges";
import { useTitle } from "@/lib/hooks";
import { docsHref, toNewProject, toSettings } from "@/lib/paths";
import { applicationRoot, isSite } from "@/lib/site";
import { formatMoment } from "@/lib/time";
import { counted } from "@/lib/units";
import { Accounts } from "./Accounts";
import { detailsText, readersText } from "./data";
import { General } from "./General";
import { Members } from "./Members";
import { Notifications } from "./Notifications";
import { Schedules } from "./Schedules";
import { SECTIONS, type SettingsSection } from "./search";
import { Tokens } from "./Tokens";

const route = getRouteApi("/$project/settings");

const NAMES: Record<SettingsSection, string> = {
  general: "General",
  schedules: "Schedules",
  members: "Members",
  tokens: "Tokens",
  notifications: "Notifications",
  badges: "Badges",
  accounts: "Accounts",
  audit: "Audit log",
  delete: "Delete",
};

/** The settings; on a site, its badges and feeds. */
export function SettingsPage() {
  return isSite() ? <SitePage /> : <ServerPage />;
}

function SitePage() {
  const { project } = route.useParams();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  useTitle(`Badges of ${project}`);
  return (
    <>
      <h1>Badges and feeds of {project}</h1>
      <Badges summary={summary} />
    </>
  );
}

function ServerPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { section = "general" } = search;
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle(`Settings of ${project}`);
  const parts: Record<SettingsSection, ReactNode> = {
    general: <General summary={summary} session={session} />,
    schedules: <Schedules project={project} session={session} />,
    members: <Members project={project} session={session} />,
    tokens: <Tokens project={project} session={session} />,
    notifications: <Notifications project={project} session={session} />,
    badges: <Badges summary={summary} />,
    accounts: <Accounts session={session} />,
    audit: (
      <Section title="Audit log">
        <Allowed session={session} project={project} action="run-server" what="read the audit log">
          <AuditLog />
        </Allowed>
      </Section>
    ),
    delete: (
      <Section title={`Delete ${project}`}>
        <Allowed session={session} project={project} action="delete" what="delete this project">
          <DeleteForm summary={summary} />
        </Allowed>
      </Section>
    ),
  };
  return (
    <>
      <header>
        <h1>
          {project} is {summary.visibility}: {readersText(summary.visibility, session.is_private)}
        </h1>
        <p className="lede">
          {standing(session, project)} <a href={docsHref("reference/access.md")}>Roles and permissions</a>
          {refusal(session, "", "run-server") === null && (
            <>
              {" "}
              <Link {...toNewProject()}>New project</Link>
            </>
          )}
        </p>
      </header>
      <nav className="parts" aria-label="Settings">
        {shownSections(session).map((name) => (
          <Link
            key={name}
            {...toSettings(project)}
            search={name === section ? search : name === "general" ? {} : { section: name }}
            activeOptions={{ exact: true }}
          >
            {NAMES[name]}
          </Link>
        ))}
      </nav>
      {parts[section]}
    </>
  );
}

/** Only administrators see the settings of the server. */
function shownSections(session: SessionInfo): SettingsSection[] {
  const isRunning = refusal(session, "", "run-server") === null;
  return SECTIONS.filter((name) => isRunning || (name !== "accounts" && name !== "audit"));
}

function Badges({ summary: { project, visibility } }: { summary: ProjectSummary }) {
  return (
    <>
      <Section title="Project badge">
        <BadgeCode badge={projectBadge(project)} />
        <p className="muted">
          Series have badges on their own pages.
          {visibility === "private" && " Private project: only members see them."}
        </p>
      </Section>
      <Section title="Feeds">
        <div className="badge-code">
          <p className="muted">Regressions (Atom)</p>
          <CommandLine command={`${applicationRoot()}${feedPath(project, "regressions")}`} />
          <p className="muted">Runs (Atom)</p>
          <CommandLine command={`${applicationRoot()}${feedPath(project, "runs")}`} />
        </div>
      </Section>
    </>
  );
}

function DeleteForm({ summary }: { summary: ProjectSummary }) {
  const { project, run_count, series_count, commit_count } = summary;
  const [typed, setTyped] = useState("");
  // A full load discards cached data of the project.
  const deleting = useMutation({
    mutationFn: () => deleteProject(project),
    onSuccess: () => window.location.assign("/"),
  });
  return (
    <Form
      submit={`Delete ${project} permanently`}
      buttonClass="button warning"
      change={deleting}
      isReady={typed === project}
      onSubmit={() => deleting.mutate()}
    >
      <p>
        Deletes {counted(run_count, "run")}, {counted(series_count, "series", "series")} and{" "}
        {counted(commit_count, "commit")} with change points and triage notes, and revokes tokens. Only a
        backup can restore them.
      </p>
      <TextField
        label={`Type ${project}`}
        name="confirmation"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Form>
  );
}

const EVENTS = 50;

/** The audit log of the server, newest first. It is append-only. */
function AuditLog() {
  const { after } = route.useSearch();
  const log = useQuery(auditQuery({ limit: EVENTS, ...(after === undefined ? {} : { after }) }));
  return (
    <Loaded query={log}>
      {({ events, next_after }) => (
        <>
          <RowTable
            label="Audit log"
            className="table table-dense"
            // Events of one transaction have no other identity.
            rows={events.map((event, index) => ({ ...event, index }))}
            keyOf={({ index }) => index}
            columns={[
              [
                "Time",
                ({ happened_at }) => formatMoment(happened_at),
                ({ request_id: id }) => ({ title: id === null ? undefined : `Request ${id}` }),
              ],
              ["Actor", ({ actor }) => actor],
              [rowHead("Action"), ({ action }) => action],
              ["Subject", ({ subject }) => subject],
              ["Details", ({ details }) => detailsText(details), "wrap muted"],
            ]}
          />
          <Older after={next_after} />
        </>
      )}
    </Loaded>
  );
}
