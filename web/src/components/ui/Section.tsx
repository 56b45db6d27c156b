/** A titled part of a page. */
import { type ReactNode, useId } from "react";

type Props = {
  title: string;
  /** Controls and links that belong to the whole section. */
  tools?: ReactNode;
  children: ReactNode;
};

export function Section({ title, tools, children }: Props) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
