/** All that was measured, a ranking each, and what is assumed of them; and what stands there without any. */
import { CommandLine } from "@/components/ui/CommandLine";
import { ErrorState } from "@/components/ui/ErrorState";
import { Section } from "@/components/ui/Section";
import { Skeleton } from "@/components/ui/Skeleton";
import { groupKey, groupName } from "../data";
import type { Bucket } from "../sizes";
import type { useAdvice } from "../useAdvice";
import { Group } from "./Group";

type Props = {
  project: string;
  advice: ReturnType<typeof useAdvice>;
  /** Nothing is asked: no bucket has a message. */
  isEmpty: boolean;
  /** What would measure something. */
  command: string;
  buckets: Bucket[];
  onLonger: (factor: number) => void;
};

export function Groups({ project, advice, isEmpty, command, buckets, onLonger }: Props) {
  const { data, error, refetch, isBehind } = advice;
  if (isEmpty) return <p className="section-note">Drag a bar up, and transports are ranked for it.</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />;
  if (data === undefined) {
    return (
      <div role="status" aria-label="Ranking" className="section">
        <Skeleton height="16rem" />
      </div>
    );
  }
  if (data.groups.length === 0) {
    return (
      <Section title="Nothing to rank">
        <p>Nothing was measured here that these messages could be put together of. This measures some:</p>
        <CommandLine command={`${command} --upload ${window.location.origin}`} />
      </Section>
    );
  }
  return (
    <div aria-busy={isBehind}>
      {data.groups.map((group) => (
        <Group
          key={groupKey(group)}
          project={project}
          group={group}
          name={groupName(group, data.groups)}
          by={data.by}
          buckets={buckets}
          onLonger={onLonger}
        />
      ))}
      {data.assumptions.length > 0 && (
        <Section title="What is assumed">
          <ul className="cautions">
            {data.assumptions.map((assumption) => (
              <li key={assumption}>{assumption}</li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}
