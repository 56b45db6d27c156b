/** Machine. */

export function MachinePage() {
  return <h1>Machine</h1>;
}
