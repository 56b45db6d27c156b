/** What to do while nothing was measured: the exact commands, with this server's address filled in. */
import { CommandLine } from "@/components/ui/CommandLine";

export function Onboarding({ project }: { project: string | null }) {
  return (
    <div className="state">
      <h1>{project === null ? "No run has arrived yet" : `No run of ${project} has arrived yet`}</h1>
      <p className="muted">This page fills itself with the first run. Either of these makes one.</p>
      <ul className="ways">
        <li>
          In a clone of Roundtrip, measure this machine and start a server with the result:
          <CommandLine command="cargo xtask up" />
        </li>
        <li>
          In the repository whose commits you want to follow, measure and send to this server:
          <CommandLine command={`roundtrip run --upload ${window.location.origin}`} />
        </li>
      </ul>
    </div>
  );
}
