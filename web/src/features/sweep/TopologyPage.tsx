/** Topology. */

export function TopologyPage() {
  return <h1>Topology</h1>;
}
