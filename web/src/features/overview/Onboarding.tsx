/** First steps while there are no runs: the commands, with this server's address filled in. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { CommandLine } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { docsHref, toMachines, toNewProject, toSettings, toSignIn } from "@/lib/paths";
import { isSite, resultArguments } from "@/lib/site";

export function Onboarding({ project }: { project: string | null }) {
  const { data: session } = useQuery(sessionQuery);
  if (isSite()) return <NoReports project={project} />;
  const target = `--upload ${window.location.origin} --token-file agent.token`;
  return (
    <div className="state">
      <h1>{project === null ? "No runs yet" : `No runs of ${project} yet`}</h1>
      <p className="muted">The first run creates the project.</p>
      <ol className="ways">
        <Step title="Command">
          Build <code>target/release/roundtrip</code> in a clone of Roundtrip:
          <CommandLine command="cargo build --release" />
        </Step>
        <Step title="Token">
          <TokenHint project={project} session={session} />
        </Step>
        <Step title="Measure">
          In the repository to track:
          <CommandLine command={`roundtrip run ${target}`} />
          or measure every new commit (<a href={docsHref("how-to/service.md")}>as a service</a>):
          <CommandLine command={`roundtrip agent --repository . ${target}`} />
        </Step>
        <Step title="Import">
          Results of <a href={docsHref("how-to/import.md")}>other benchmark tools</a>:
          <CommandLine command={`roundtrip import results.json ${target}`} />
        </Step>
      </ol>
      {session !== undefined &&
        refusal(session, project ?? "", project === null ? "run-server" : "manage-tokens") === null && (
          <p>
            To measure on lab machines,{" "}
            {project === null ? (
              <Link {...toNewProject()}>create a project</Link>
            ) : (
              <Link {...toMachines(project)}>add a machine</Link>
            )}
            .
          </p>
        )}
    </div>
  );
}

/** On a site, results come from reports. */
function NoReports({ project }: { project: string | null }) {
  return (
    <div className="state">
      <h1>{project === null ? "No runs yet" : `No runs of ${project} yet`}</h1>
      <p className="muted">Measure, add the report to the folder of reports, and generate the site again:</p>
      <CommandLine command={`roundtrip run ${resultArguments()}`} />
    </div>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <h2>{title}</h2>
      {children}
    </li>
  );
}

function TokenHint({ project, session }: { project: string | null; session: SessionInfo | undefined }) {
  const { href } = useLocation();
  const isMaintainer =
    session !== undefined && project !== null && refusal(session, project, "manage-tokens") === null;
  return (
    <>
      Copy <code>agent.token</code> from the server’s data directory, or create a token on the server:
      <CommandLine command="roundtrip-server token create --name lab-1 > agent.token" />
      {isMaintainer && (
        <>
          or{" "}
          <Link {...toSettings(project)} search={{ section: "tokens" }}>
            create one in the settings
          </Link>
          .
        </>
      )}
      {session?.account === null && (
        <>
          Or <Link {...toSignIn(href)}>sign in</Link> to create tokens of your projects.
        </>
      )}
    </>
  );
}
