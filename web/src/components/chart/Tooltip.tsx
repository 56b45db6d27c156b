/** A tooltip: heading, and names with values. */
import type { ReactNode } from "react";
import { Fragment } from "react";

type Props = { heading: ReactNode; rows: { name: string; value: string }[]; note?: string | undefined };

export function TooltipBox({ heading, rows, note }: Props) {
  return (
    <div className="tooltip">
      <div className="strong">{heading}</div>
      <dl>
        {rows.map(({ name, value }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      {note !== undefined && <div className="muted">{note}</div>}
    </div>
  );
}
