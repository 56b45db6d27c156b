/** A sentence in which names with hyphens are not broken into lines: half a name is another one. */
import { Fragment } from "react";

export function Unbroken({ text }: { text: string }) {
  const parts = text.split(/(\w+(?:-\w+)+)/).map((part, place) => ({ part, place }));
  return parts.map(({ part, place }) =>
    // Every other part is a name.
    place % 2 === 1 ? (
      <span key={place} className="unbroken">
        {part}
      </span>
    ) : (
      <Fragment key={place}>{part}</Fragment>
    ),
  );
}
