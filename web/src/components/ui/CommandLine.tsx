/** A command to run in a terminal, ready to copy. */
import { CopyButton } from "./CopyButton";

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="command">
      <code>{command}</code>
      <CopyButton label="Copy" text={() => command} />
    </div>
  );
}
