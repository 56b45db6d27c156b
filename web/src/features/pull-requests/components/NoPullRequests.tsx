/** What to do while no run names a pull request: how a run does. */
import { CommandLine } from "@/components/ui/CommandLine";

export function NoPullRequests() {
  const origin = window.location.origin;
  return (
    <div className="state">
      <h1>No pull request was measured yet</h1>
      <p className="muted">
        A run belongs to a pull request when its report names the number, in its member{" "}
        <code>pull_request</code>. The command leaves that empty; at the commit to be measured:
      </p>
      <ul className="ways">
        <li>
          Measure, and keep the report:
          <CommandLine command="roundtrip run --output report.json" />
        </li>
        <li>
          Name the pull request, here 42, and send it to this server:
          <CommandLine command={"jq '.pull_request = 42' report.json > pull-42.json"} />
          <CommandLine command={`roundtrip upload pull-42.json --upload ${origin}`} />
        </li>
      </ul>
      <p className="muted">
        Such runs are no part of any trend and alert nobody: they are compared with the commit at which the
        pull request left the main line.
      </p>
    </div>
  );
}
