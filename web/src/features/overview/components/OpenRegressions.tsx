/** Whether anything is worse: the open regressions in a sentence, which leads to them. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { regressionsQuery } from "@/api/queries";
import { toRegressions } from "@/lib/paths";
import { askedFor, headlineOf } from "@/lib/regressions";

export function OpenRegressions({ project }: { project: string }) {
  const { data } = useSuspenseQuery(regressionsQuery(project, askedFor({})));
  const { regressions, next_after } = data;
  const asked = { shown: "open", direction: "regressed", isWhole: next_after === null } as const;
  return (
    <>
      <Link
        {...toRegressions(project)}
        className={regressions.length > 0 ? "change change-regressed" : "muted"}
      >
        {headlineOf(regressions, asked)}
      </Link>
      .
    </>
  );
}
