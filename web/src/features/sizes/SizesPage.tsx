/** Sizes. */

export function SizesPage() {
  return <h1>Sizes</h1>;
}
