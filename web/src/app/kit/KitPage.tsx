/** Every shared component with its states, in both colour schemes. Only development builds have it: `/dev/kit`. */
import type { ReactNode } from "react";
import { Charts } from "./Charts";
import { Parts } from "./Parts";

const SCHEMES = ["light", "dark"] as const;

export function KitPage() {
  return (
    <div style={{ display: "grid", gridTemplateColumns: "repeat(2, minmax(0, 1fr))" }}>
      {SCHEMES.map((scheme) => (
        <Scheme key={scheme} scheme={scheme}>
          <Parts />
          <Charts />
        </Scheme>
      ))}
    </div>
  );
}

function Scheme({ scheme, children }: { scheme: (typeof SCHEMES)[number]; children: ReactNode }) {
  return (
    <div data-theme={scheme} style={{ padding: "1rem", background: "var(--ground)", color: "var(--ink)" }}>
      <h1>{scheme}</h1>
      {children}
    </div>
  );
}
