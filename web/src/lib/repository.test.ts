import { expect, it } from "vitest";
import { repositoryOf } from "./repository";

const of = (repository_url: string | null, commit_url: string | null = null) =>
  repositoryOf({ repository_url, commit_url });

const SHA = "9f8e7d6";

it.each([
  "https://github.com/acme/libfoo.git",
  "https://deploy@github.com/acme/libfoo/",
  "ssh://git@github.com:22/acme/libfoo.git",
  "git@github.com:acme/libfoo.git",
  "git://github.com/acme/libfoo",
])("links to the commits of %s", (address) => {
  expect(of(address)?.commit(SHA)).toBe("https://github.com/acme/libfoo/commit/9f8e7d6");
});

it.each([
  null,
  "",
  "file:///srv/github/libfoo.git",
  "https://git.example.org/libfoo.git",
  "https://github.com/libfoo",
  "https://notgithub.com/acme/libfoo",
  "github.com",
])("has no links for %s", (address) => {
  expect(of(address)).toBeNull();
});

it("keeps the scheme and port of a self-hosted server, and nested groups", () => {
  const repository = of("http://gitlab.example.org:8080/team/core/libfoo.git");
  expect(repository?.commit(SHA)).toBe("http://gitlab.example.org:8080/team/core/libfoo/-/commit/9f8e7d6");
});

it("links to GitHub", () => {
  const links = of("https://github.com/acme/libfoo");
  expect(links?.range("a1b2c3d", SHA)).toBe("https://github.com/acme/libfoo/compare/a1b2c3d...9f8e7d6");
  expect(links?.pullRequest(42)).toBe("https://github.com/acme/libfoo/pull/42");
  expect(links?.author("Ada Okafor")).toBe(
    "https://github.com/search?q=repo%3Aacme%2Flibfoo+author-name%3A%22Ada+Okafor%22&type=commits",
  );
  expect(links?.newIssue({ title: "20 % slower", body: "a & b" })).toBe(
    "https://github.com/acme/libfoo/issues/new?title=20+%25+slower&body=a+%26+b",
  );
});

it("links to GitLab", () => {
  const links = of("git@gitlab.com:acme/libfoo.git");
  expect(links?.pullRequest(42)).toBe("https://gitlab.com/acme/libfoo/-/merge_requests/42");
  expect(links?.author("Ada")).toBe("https://gitlab.com/acme/libfoo/-/commits/HEAD?author=Ada");
  expect(links?.newIssue({ title: "t", body: "b" })).toBe(
    "https://gitlab.com/acme/libfoo/-/issues/new?issue%5Btitle%5D=t&issue%5Bdescription%5D=b",
  );
});

it("links to Forgejo, which has no list of an author's commits", () => {
  const links = of("https://codeberg.org/acme/libfoo");
  expect(links?.host).toBe("Forgejo");
  expect(links?.pullRequest(42)).toBe("https://codeberg.org/acme/libfoo/pulls/42");
  expect(links?.author("Ada")).toBeNull();
});

it("links only to commits by a template, which precedes the address", () => {
  const links = of("https://github.com/acme/libfoo", "https://git.example.org/?p=libfoo;h={sha}");
  expect(links?.host).toBe("git.example.org");
  expect(links?.commit(SHA)).toBe("https://git.example.org/?p=libfoo;h=9f8e7d6");
  expect(links?.pullRequest(42)).toBeNull();
});

it("recognises GitLab by a template, also on a server of another name", () => {
  const links = of(null, "https://git.example.org/acme/libfoo/-/commit/{sha}");
  expect(links?.commit(SHA)).toBe("https://git.example.org/acme/libfoo/-/commit/9f8e7d6");
  expect(links?.pullRequest(42)).toBe("https://git.example.org/acme/libfoo/-/merge_requests/42");
  expect(of(null, "https://git.example.org/acme/libfoo/commit/{sha}")?.pullRequest(42)).toBeNull();
});
