/** Size sweep. */

export function SweepPage() {
  return <h1>Size sweep</h1>;
}
