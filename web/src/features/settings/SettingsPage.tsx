/** What a project is set to, who may do what with it, and what there is of the whole server for who runs it. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { projectQuery, sessionQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { refusal, standing } from "@/lib/access";
import { docsHref, toNewProject, toSettings } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { Accounts } from "./components/Accounts";
import { Audit } from "./components/Audit";
import { Badges } from "./components/Badges";
import { DeleteProject } from "./components/DeleteProject";
import { General } from "./components/General";
import { Members } from "./components/Members";
import { Notifications } from "./components/Notifications";
import { Schedules } from "./components/Schedules";
import { Tokens } from "./components/Tokens";
import { readersText } from "./data";
import { SECTIONS, type SettingsSection } from "./search";

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

export function SettingsPage() {
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
    audit: <Audit project={project} session={session} />,
    delete: <DeleteProject summary={summary} session={session} />,
  };
  return (
    <>
      <header>
        <h1>
          {project} is {summary.visibility}: {readersText(summary.visibility, session.is_private)}.
        </h1>
        <p className="lede">
          {standing(session, project)}{" "}
          <a href={docsHref("reference/access.md")}>Who may do what is in the documentation</a>.
          {refusal(session, "", "run-server") === null && (
            <>
              {" "}
              <Link {...toNewProject()}>Make another project</Link>.
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

/** What concerns the whole server is shown to who runs it. */
function shownSections(session: SessionInfo): SettingsSection[] {
  const isRunning = refusal(session, "", "run-server") === null;
  return SECTIONS.filter((name) => isRunning || (name !== "accounts" && name !== "audit"));
}
