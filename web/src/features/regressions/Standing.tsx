/** The extent, age and triage of a regression, in a line. */
import type { Regression } from "@/api/types";
import { Ago, CommitRange } from "@/components/ui/text";
import { useNow } from "@/lib/hooks";
import { STATE_NAMES } from "@/lib/regressions";
import { upperFirst } from "@/lib/units";
import { alertState, whereText } from "./data";

export function Standing({ regression }: { regression: Regression }) {
  const { after_commit, until_commit, created_at, state, assignee } = regression;
  const quiet = alertState(regression, useNow());
  return (
    <p className="lede">
      {whereText(regression)}; <CommitRange after={after_commit} until={until_commit} />; found{" "}
      <Ago moment={created_at} />. {upperFirst(STATE_NAMES[state])}
      {assignee !== null && `, assigned to ${assignee}`}
      {quiet !== null && `, alerts ${quiet === "muted" ? "muted" : "on hold"}`}.
    </p>
  );
}
