/** Names and values, one pair a line. */
import { Fragment, type ReactNode } from "react";

/** One pair. */
export type Fact = { name: string; value: ReactNode };

type Props = {
  facts: Fact[];
  /** Long values read better from the left. */
  wide?: boolean;
};

export function Facts({ facts, wide = false }: Props) {
  return (
    <dl className={wide ? "facts facts-wide" : "facts"}>
      {facts.map(({ name, value }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
