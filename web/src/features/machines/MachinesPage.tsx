/** Machines. */

export function MachinesPage() {
  return <h1>Machines</h1>;
}
