/** One place at which messages were measured: who comes first there, what would change it, and what has no rank. */
import type { AdviceGroup } from "@/api/types";
import { DataTable } from "@/components/chart/DataTable";
import { Section } from "@/components/ui/Section";
import { OVERSUBSCRIBED } from "@/lib/points";
import { belowTexts, changeText, keyOf, medianOf, nameIn } from "../data";
import type { Figure } from "../search";
import type { Bucket } from "../sizes";
import { crossingsTable } from "../tables";
import { RankingTable } from "./RankingTable";

type Props = {
  project: string;
  group: AdviceGroup;
  /** In words. */
  name: string;
  by: Figure;
  /** What the answer is about. */
  buckets: Bucket[];
  /** Makes all messages so many times as long as they are. */
  onLonger: (factor: number) => void;
};

export function Group({ project, group, name, by, buckets, onLonger }: Props) {
  const { ranking, not_ranked, crossovers, would_change } = group;
  return (
    <Section title={name}>
      {group.oversubscribed && <p className="chart-summary warning">{OVERSUBSCRIBED}.</p>}
      {ranking.length === 0 ? (
        <p className="section-note">
          Nothing has a rank here: what was measured leaves out too many messages.
        </p>
      ) : (
        <>
          <p className="chart-summary">
            By {by}, with the 95 % interval of how much longer than over the first.
            {ranking.some(({ behind_first }) => behind_first?.is_sure === false) && (
              <>
                {" "}
                <span className="standing standing-equal" aria-hidden="true" />
                What cannot be told from the first may be as fast.
              </>
            )}{" "}
            {belowTexts(group).join(" ")}
          </p>
          <RankingTable
            project={project}
            label={`Ranking, ${name}`}
            group={group}
            by={by}
            median_bytes={medianOf(buckets)}
          />
          <div className="advice-parts">
            <div>
              <h3>What would change it</h3>
              {would_change.length === 0 ? (
                <p className="muted">No other length of all messages, as far as was measured.</p>
              ) : (
                <ul>
                  {would_change.map((change) => (
                    <li key={change.factor}>
                      {changeText(group, change)}{" "}
                      <button
                        type="button"
                        className="text-button try"
                        onClick={() => onLonger(change.factor)}
                      >
                        See it
                      </button>
                    </li>
                  ))}
                </ul>
              )}
            </div>
            {not_ranked.length > 0 && (
              <div>
                <h3>Without a rank</h3>
                <dl className="not-ranked">
                  {not_ranked.map((line) => (
                    <div key={keyOf(line)}>
                      <dt>{nameIn(group, line)}</dt>
                      <dd className="muted">{line.because}</dd>
                    </div>
                  ))}
                </dl>
              </div>
            )}
            <div className="advice-crossings">
              <h3>Where two of them cross</h3>
              {crossovers.length === 0 ? (
                <p className="muted">Nowhere, at the sizes at which both were measured.</p>
              ) : (
                <DataTable title={`Crossings, ${name}`} table={crossingsTable(group, buckets)} />
              )}
            </div>
          </div>
        </>
      )}
    </Section>
  );
}
