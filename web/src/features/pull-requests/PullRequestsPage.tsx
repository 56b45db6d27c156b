/** Pull requests. */

export function PullRequestsPage() {
  return <h1>Pull requests</h1>;
}
