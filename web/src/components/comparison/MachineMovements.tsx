/** Machines that moved between the sides: a line each, with a link to a paired A/B. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionQuery } from "@/api/queries";
import type { Comparison } from "@/api/types";
import { refusal } from "@/lib/access";
import { toMeasure } from "@/lib/paths";
import { consequenceOf, movementLines } from "./movement";
import { unbrokenShares } from "./pairs";

export function MachineMovements({ project, comparison }: { project: string; comparison: Comparison }) {
  const { data: session } = useQuery(sessionQuery);
  const mayQueue = session !== undefined && refusal(session, project, "queue") === null;
  const { base, head } = comparison;
  return movementLines(comparison).map((line) => {
    const [before, link, after] = consequenceOf(line);
    const { machine, text, isComparable } = line;
    return (
      <p key={machine} className={isComparable ? "lede" : "lede warning"}>
        {unbrokenShares(text)} {before}
        {mayQueue ? (
          <Link {...toMeasure(project, { commits: head.commit.sha, base: base.commit.sha })}>{link}</Link>
        ) : (
          link
        )}
        {after}
      </p>
    );
  });
}
