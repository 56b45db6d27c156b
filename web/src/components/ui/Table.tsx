/** A table that scrolls by itself where it is wider than the page, with the heads of its columns. */
import type { ReactNode } from "react";
import { ScrollRegion } from "./states";

/** The head of a column: its name, or that with what else its cell has. */
export type Head = string | { name: string; className?: string; title?: string; isUnseen?: boolean };

/** The head of a column of numbers. */
export const numeric = (name: string): Head => ({ name, className: "number" });

/** The head of a column that is named for who does not see it: what is in it says enough to others. */
export const unseen = (name: string): Head => ({ name, isUnseen: true });

type Props = {
  label: string;
  className?: string;
  heads: readonly Head[];
  /** Its bodies, and its foot. */
  children: ReactNode;
};

export function Table({ label, className = "table", heads, children }: Props) {
  return (
    <ScrollRegion label={label}>
      <table className={className}>
        <thead>
          <tr>
            {heads.map((head) => {
              const { name, isUnseen = false, ...rest } = typeof head === "string" ? { name: head } : head;
              return (
                <th key={name} scope="col" {...rest}>
                  {isUnseen ? <span className="unseen">{name}</span> : name}
                </th>
              );
            })}
          </tr>
        </thead>
        {children}
      </table>
    </ScrollRegion>
  );
}
