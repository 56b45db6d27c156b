/** The commits that may have made a regression, the most probable first. */
import type { Culprit } from "@/api/types";
import { CommitName } from "@/components/ui/CommitName";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { formatMoment } from "@/lib/time";
import { shareOfAll } from "@/lib/units";

export function Culprits({ culprits }: { culprits: Culprit[] }) {
  const isShared = culprits.some(({ measured }) => !measured);
  return (
    <>
      <ScrollRegion label="Culprits">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">commit</th>
              <th scope="col" className="number">
                probability
              </th>
              <th scope="col" className="grow">
                subject
              </th>
              <th scope="col">author</th>
              <th scope="col">committed</th>
              <th scope="col">measured</th>
            </tr>
          </thead>
          <tbody>
            {culprits.map(({ commit, probability, measured }) => (
              <tr key={commit.sha}>
                <th scope="row">
                  <CommitName commit={commit} />
                </th>
                <td className="number">{shareOfAll(probability)}</td>
                <td className="grow" title={commit.subject}>
                  {commit.subject}
                </td>
                <td>{commit.author}</td>
                <td>{formatMoment(commit.committed_at)}</td>
                <td>{measured ? "yes" : <span className="muted">not yet</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {isShared && (
        <p className="section-note">
          A commit that was not measured shares the probability of the next one that was. Agents are asked to
          measure those that would tell.
        </p>
      )}
    </>
  );
}
