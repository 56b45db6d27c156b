/** What to do while nothing was measured: the exact commands, with this server's address filled in, in their order. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { CommandLine } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { docsHref, toMachines, toNewProject, toSettings, toSignIn } from "@/lib/paths";

export function Onboarding({ project }: { project: string | null }) {
  const { data: session } = useQuery(sessionQuery);
  const there = `--upload ${window.location.origin} --token-file agent.token`;
  return (
    <div className="state">
      <h1>{project === null ? "No run has arrived yet" : `No run of ${project} has arrived yet`}</h1>
      <p className="muted">
        This page fills itself with the first run; a project begins with it. Three steps lead there, and what
        other tools have measured already can be taken in.
      </p>
      <ol className="ways">
        <Step title="Get the command">
          In a clone of Roundtrip, build the programs; <code>target/release/roundtrip</code> is the one that
          measures.
          <CommandLine command="cargo build --release" />
        </Step>
        <Step title="Get a token">
          <TokenHint project={project} session={session} />
        </Step>
        <Step title="Measure">
          In the repository whose commits you want to follow, once:
          <CommandLine command={`roundtrip run ${there}`} />
          or commit by commit, for as long as it runs (
          <a href={docsHref("how-to/service.md")}>as a service</a>):
          <CommandLine command={`roundtrip agent --repository . ${there}`} />
        </Step>
        <Step title="Or import">
          Results of Google Benchmark, criterion, hyperfine, Go, JMH, k6 and{" "}
          <a href={docsHref("how-to/import.md")}>others</a>:
          <CommandLine command={`roundtrip import results.json ${there}`} />
        </Step>
      </ol>
      {session !== undefined &&
        refusal(session, project ?? "", project === null ? "run-server" : "manage-tokens") === null && (
          <p>
            Or let machines of a lab do it, asked from here:{" "}
            {project === null ? (
              <Link {...toNewProject()}>make a project</Link>
            ) : (
              <Link {...toMachines(project)}>add a machine</Link>
            )}
            .
          </p>
        )}
      <p className="muted">
        Only to try it: in a clone of Roundtrip, <code>cargo xtask up</code> measures this machine and starts
        a server with the result.
      </p>
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
      The server made one at its first start: <code>agent.token</code> in its data directory. On the server’s
      machine, this makes another, for a lab machine of its own:
      <CommandLine command="roundtrip-server token create --name lab-1 > agent.token" />
      {isMaintainer && (
        <>
          or{" "}
          <Link {...toSettings(project)} search={{ section: "tokens" }}>
            make it here, in the settings
          </Link>
          .
        </>
      )}
      {session?.account === null && (
        <>
          Whoever has an account can <Link {...toSignIn(href)}>sign in</Link> and make tokens for projects
          that they maintain.
        </>
      )}
    </>
  );
}
