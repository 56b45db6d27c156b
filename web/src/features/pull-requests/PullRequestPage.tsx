/** Pull request. */

export function PullRequestPage() {
  return <h1>Pull request</h1>;
}
