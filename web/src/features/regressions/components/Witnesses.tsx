/** What those say that no commit can have changed: of the clearest change. */
import type { ChangePoint } from "@/api/types";

export function Witnesses({ changes }: { changes: ChangePoint[] }) {
  const told = changes.find(({ witnesses }) => witnesses.length > 0);
  if (told === undefined) return <p className="muted">Nothing on these machines could tell.</p>;
  return (
    <ul className="plain-list">
      {told.witnesses.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
