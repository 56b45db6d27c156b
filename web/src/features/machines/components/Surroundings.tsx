/** What a machine is, and what became another thing of it: points of two environments are not compared. */
import { useQueries } from "@tanstack/react-query";
import { runQuery } from "@/api/queries";
import type { CanaryReading, MachineSummary } from "@/api/types";
import { Facts } from "@/components/ui/Facts";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Section } from "@/components/ui/Section";
import { formatMoment } from "@/lib/time";
import { factChanges, stretchesOf } from "../data";

/** Changes that are looked up: each takes a run. */
const CHANGES_MAX = 4;

type Props = { summary: MachineSummary; readings: CanaryReading[] };

export function Surroundings({ summary, readings }: Props) {
  const { stable } = summary.environment;
  const facts = Object.entries(stable).map(([name, value]) => ({ name, value }));
  return (
    <div className="columns">
      <Section title="What it is">
        {facts.length === 0 ? (
          <p className="muted">No run has told anything of this machine.</p>
        ) : (
          <Facts facts={facts} wide />
        )}
      </Section>
      <Section title="What changed of it">
        <Changes readings={readings} />
      </Section>
    </div>
  );
}

function Changes({ readings }: { readings: CanaryReading[] }) {
  const stretches = stretchesOf(readings).slice(0, CHANGES_MAX + 1);
  const answers = useQueries({ queries: stretches.map(({ newest_run_id }) => runQuery(newest_run_id)) });
  const factsOf = (place: number) => answers[place]?.data?.environment.stable;
  const rows = stretches.slice(0, -1).flatMap(({ since }, place) => {
    const [after, before] = [factsOf(place), factsOf(place + 1)];
    if (after === undefined || before === undefined) return [];
    return factChanges(before, after).map((change) => ({ since, ...change }));
  });
  if (stretches.length < 2) {
    return <p className="muted">Nothing, over the runs whose canaries are known here.</p>;
  }
  if (rows.length === 0 && answers.every(({ isPending }) => !isPending)) {
    return (
      <p className="muted">Its environment became another one, and no run is kept that tells in what.</p>
    );
  }
  return (
    <ScrollRegion label="What changed of it">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">since</th>
            <th scope="col">fact</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ since, name, before, after }) => (
            <tr key={`${since} ${name}`}>
              <td className="muted">{formatMoment(since)}</td>
              <th scope="row">{name}</th>
              <td className="flexible">{before ?? <span className="muted">not there</span>}</td>
              <td className="flexible">{after ?? <span className="muted">not there</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
