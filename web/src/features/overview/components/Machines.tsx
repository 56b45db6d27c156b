/** The machines: what they are, how their own readings move, when they were last heard of. */
import type { MachineSummary, RunDetail } from "@/api/types";
import { Sparkline } from "@/components/chart/Sparkline";
import { Ago } from "@/components/ui/Ago";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { formatCount, quantityOfNs } from "@/lib/units";
import { canaryHistory, shownCanaries, systemOf } from "../data";

/** From this many readings on, a line says more than the last number. */
const SPARKLINE_MIN = 3;

type Props = { machines: MachineSummary[]; details: Map<string, RunDetail[]> };

export function Machines({ machines, details }: Props) {
  const canaries = shownCanaries([...details.values()].flatMap((runs) => runs.slice(0, 1)));
  return (
    <>
      <ScrollRegion label="Machines">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">machine</th>
              <th scope="col">system</th>
              <th scope="col">processor</th>
              {canaries.map((slug) => (
                <th key={slug} scope="col">
                  {slug}
                </th>
              ))}
              <th scope="col" className="number">
                runs
              </th>
              <th scope="col">last run</th>
            </tr>
          </thead>
          <tbody>
            {machines.map((machine) => {
              const runs = details.get(machine.machine) ?? [];
              const { system, cpu } = systemOf(machine, runs[0]);
              return (
                <tr key={machine.machine}>
                  <th scope="row">
                    {machine.machine}
                    {machine.suspect_because !== null && <span className="line warning">suspect</span>}
                  </th>
                  <td className="muted">{system}</td>
                  <td className="muted">{cpu}</td>
                  {canaries.map((slug) => (
                    <td key={slug}>
                      <Canary history={canaryHistory(runs, slug)} />
                    </td>
                  ))}
                  <td className="number">
                    {formatCount(machine.run_count)}
                    {machine.lost_run_count > 0 && (
                      <span className="line warning">{formatCount(machine.lost_run_count)} lost</span>
                    )}
                  </td>
                  <td>
                    <Ago moment={machine.last_run_at} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
      {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
        <p className="section-note">
          Lost: acknowledged to the agent, and not in the database, as when that was restored from a backup.
        </p>
      )}
      {machines
        .filter(({ suspect_because }) => suspect_because !== null)
        .map(({ machine, suspect_because }) => (
          <p key={machine} className="section-note">
            {machine} is suspect: {suspect_because}. Nobody is alerted of what is measured on it.
          </p>
        ))}
      {canaries.length > 0 && (
        <p className="section-note">
          Canaries ({canaries.join(", ")}) measure the machine itself, in every run: when they move, the
          machine moved, not the commit.
        </p>
      )}
    </>
  );
}

function Canary({ history }: { history: number[] }) {
  const latest = history.at(-1);
  if (latest === undefined) return <span className="muted">no reading</span>;
  return (
    <span className="with-line muted">
      {history.length >= SPARKLINE_MIN && <Sparkline values={history} width={72} height={18} />}
      <QuantityText plain quantity={quantityOfNs(latest)} />
    </span>
  );
}
