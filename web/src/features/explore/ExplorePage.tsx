/** Explore. */

export function ExplorePage() {
  return <h1>Explore</h1>;
}
