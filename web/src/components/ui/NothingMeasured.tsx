/** What a page is without anything to show: what it would show, and the command that measures it. */
import { CommandLine } from "./CommandLine";

type Props = { title: string; lede: string; command: string };

export function NothingMeasured({ title, lede, command }: Props) {
  return (
    <div className="state">
      <h1>{title}</h1>
      <p className="muted">{lede} In a clone of the project, this measures some and sends them here:</p>
      <CommandLine command={`${command} --upload ${window.location.origin}`} />
    </div>
  );
}
