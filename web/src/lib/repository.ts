/** Links to the host of a repository: GitHub, GitLab, Forgejo or Gitea, or any other by a template. Pure. */
import type { ProjectSummary } from "@/api/types";

type Issue = { title: string; body: string };

/** Links to a host; those that it does not have, or that a template does not reveal, are `null`. */
export type Repository = {
  /** Its product name or the name of its server, for labels. */
  host: string;
  commit: (sha: string) => string;
  /** The changes after `base` up to `head`. */
  range: (base: string, head: string) => string | null;
  /** The commits of an author by name. */
  author: (name: string) => string | null;
  pullRequest: (number: number) => string | null;
  /** The form for an issue, filled in. */
  newIssue: (issue: Issue) => string | null;
};

type Host = {
  name: string;
  /** Names of its servers, public and self-hosted. */
  servers: RegExp;
  commit: string;
  compare: string;
  author: ((name: string, path: string) => string) | null;
  pullRequest: string;
  newIssue: (issue: Issue) => string;
};

const HOSTS: Host[] = [
  {
    name: "GitHub",
    servers: /\bgithub\b/,
    commit: "commit/",
    compare: "compare/",
    // Its lists of commits filter by account, which is unknown; the search also by name.
    author: (name, path) =>
      `/search${asked({ q: `repo:${path.slice(1)} author-name:"${name}"`, type: "commits" })}`,
    pullRequest: "pull/",
    newIssue: (issue) => `issues/new${asked(issue)}`,
  },
  {
    name: "GitLab",
    servers: /\bgitlab\b/,
    commit: "-/commit/",
    compare: "-/compare/",
    author: (author) => `-/commits/HEAD${asked({ author })}`,
    pullRequest: "-/merge_requests/",
    newIssue: ({ title, body }) =>
      `-/issues/new${asked({ "issue[title]": title, "issue[description]": body })}`,
  },
  {
    name: "Forgejo",
    servers: /\b(codeberg|forgejo|gitea)\b/,
    commit: "commit/",
    compare: "compare/",
    author: null,
    pullRequest: "pulls/",
    newIssue: (issue) => `issues/new${asked(issue)}`,
  },
];

function asked(values: Record<string, string>): string {
  return `?${new URLSearchParams(values)}`;
}

/** The part of a template that stands for the SHA. */
const SHA = "{sha}";

/** The links of a project's repository; `null` if its host is unknown. A template precedes the address for agents. */
export function repositoryOf({ repository_url, commit_url }: Addresses): Repository | null {
  if (commit_url !== null) return ofTemplate(commit_url);
  const home = homeOf(repository_url ?? "");
  const host = home && HOSTS.find(({ servers }) => servers.test(home.hostname));
  return host ? linksOf(host, home) : null;
}

type Addresses = Pick<ProjectSummary, "repository_url" | "commit_url">;

/** All links if the template has the form of a known host, otherwise only those to commits. */
function ofTemplate(template: string): Repository | null {
  const url = URL.canParse(template) ? new URL(template) : null;
  if (url === null) return null;
  const host = HOSTS.find(
    ({ name, servers, commit }) =>
      template.endsWith(`/${commit}${SHA}`) && (name === "GitLab" || servers.test(url.hostname)),
  );
  if (host !== undefined) return linksOf(host, new URL(template.slice(0, -`/${host.commit}${SHA}`.length)));
  const none = () => null;
  return {
    host: url.hostname,
    commit: (sha) => template.replaceAll(SHA, sha),
    range: none,
    author: none,
    pullRequest: none,
    newIssue: none,
  };
}

/** The page of a repository: of `https://host/owner/name.git`, `ssh://git@host:22/owner/name` or `git@host:owner/name`. */
function homeOf(address: string): URL | null {
  const found = /^(?:(https?|ssh|git):\/\/)?(?:[^/@]+@)?([^/:]+)(:\d+(?=\/))?[/:](.+)$/.exec(address);
  if (found === null) return null;
  const [, scheme = "ssh", name, port = "", path = ""] = found;
  const isWeb = scheme.startsWith("http");
  const origin = isWeb ? `${scheme}://${name}${port}` : `https://${name}`;
  const plain = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return plain.includes("/") && URL.canParse(origin) ? new URL(`/${plain}`, origin) : null;
}

function linksOf({ name, commit, compare, author, pullRequest, newIssue }: Host, home: URL): Repository {
  const to = (path: string) => new URL(path, `${home}/`).href;
  return {
    host: name,
    commit: (sha) => to(`${commit}${sha}`),
    range: (base, head) => to(`${compare}${base}...${head}`),
    author: (of) => author && to(author(of, home.pathname)),
    pullRequest: (number) => to(`${pullRequest}${number}`),
    newIssue: (issue) => to(newIssue(issue)),
  };
}
