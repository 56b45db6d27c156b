/** What keeps a pull request from being compared, or from being compared with the right commit, and what helps. */
import type { PullRequestSummary } from "@/api/types";
import { CommandLine } from "@/components/ui/CommandLine";
import { CommitName } from "@/components/ui/CommitName";

type Props = { summary: PullRequestSummary; isBaseMissing: boolean };

export function Caution({ summary: { merge_base, merge_base_is_certain }, isBaseMissing }: Props) {
  if (merge_base === null) {
    return (
      <p className="lede">
        No measured commit of the main line is known that it comes from. Measure one that it was branched
        from, in a clone that is not shallow: reports bring the commits before theirs.
      </p>
    );
  }
  return (
    <>
      {isBaseMissing && (
        <div className="lede">
          It left the main line at <CommitName commit={merge_base} /> ‘{merge_base.subject}’. Measure that, on
          the machine that measured the pull request:
          <CommandLine
            command={`git checkout ${merge_base.sha} && roundtrip run --upload ${window.location.origin}`}
          />
        </div>
      )}
      {!merge_base_is_certain && (
        <p className="lede warning">
          It may have left the main line later than at <CommitName commit={merge_base} />: not all parents of
          its commits are stored. Changes of the main line may be among those that are told here.
        </p>
      )}
    </>
  );
}
