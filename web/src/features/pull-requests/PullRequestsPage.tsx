/** The pull requests that runs name, the largest number first, a page at a time. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pullRequestsQuery } from "@/api/queries";
import { toPullRequests } from "@/lib/paths";
import { counted } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { NoPullRequests } from "./components/NoPullRequests";
import { PullRequestTable } from "./components/PullRequestTable";

const route = getRouteApi("/$project/pull-requests");

export function PullRequestsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data } = useSuspenseQuery(pullRequestsQuery(project, search));
  const { pull_requests, next_after } = data;
  useTitle(`Pull requests of ${project}`);
  if (pull_requests.length === 0 && search.after === undefined) return <NoPullRequests />;
  const isWhole = next_after === null && search.after === undefined;
  return (
    <>
      <header>
        <h1>
          {isWhole
            ? `${counted(pull_requests.length, "pull request")} ${pull_requests.length === 1 ? "was" : "were"} measured`
            : "Pull requests that were measured"}
        </h1>
        <p className="lede">
          Each is compared with the commit at which it left the main line. What a pull request measured is no
          part of any trend.
        </p>
      </header>
      <div className="section">
        <PullRequestTable project={project} pullRequests={pull_requests} />
      </div>
      {next_after !== null && (
        <p className="section">
          <Link {...toPullRequests(project)} search={{ after: next_after }} className="button">
            Earlier ones
          </Link>
        </p>
      )}
    </>
  );
}
