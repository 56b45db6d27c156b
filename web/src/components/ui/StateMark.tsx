/** A state in a word, with a shape beside it, so that it is not told by colour, and with why. */
import type { AgentState } from "@/lib/agents";

export function StateMark({ state: { word, shape, because } }: { state: AgentState }) {
  const isBad = shape === "alarm" || shape === "cross";
  return (
    <span className={isBad ? "state-mark warning" : "state-mark"}>
      <span className={`shape shape-${shape}`} aria-hidden="true" />
      <span>
        {word}
        {because !== null && (
          <>
            : <span className={isBad ? "because" : "because muted"}>{because}</span>
          </>
        )}
      </span>
    </span>
  );
}
