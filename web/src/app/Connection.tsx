/** A quiet line below the header while what is shown may be old, with since when. It goes by itself. */
import { useQueryClient } from "@tanstack/react-query";
import { type Connection as State, useConnection } from "@/api/connection";
import { isChangeable } from "@/api/queries";
import { formatClock } from "@/lib/time";

export function Connection() {
  const connection = useConnection();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ predicate: isChangeable });
  return (
    // It is there before it has anything to say: only then screen readers notice when it does.
    <div className="connection" role="status">
      {connection.kind !== "live" && (
        <p>
          {textOf(connection)}
          {connection.kind !== "offline" && (
            <>
              {" "}
              <button type="button" className="text-button" onClick={refresh}>
                Refresh now
              </button>
            </>
          )}
        </p>
      )}
    </div>
  );
}

function textOf({ kind, since }: Exclude<State, { kind: "live" }>): string {
  const clock = formatClock(since);
  switch (kind) {
    case "offline":
      return `Offline: shown as of ${clock}. It goes on by itself when the network is back.`;
    case "no answer":
      return `The server does not answer: shown as of ${clock}.`;
    case "not live":
      return `Not live since ${clock}: new runs are not shown by themselves until the server tells of them again.`;
  }
}
