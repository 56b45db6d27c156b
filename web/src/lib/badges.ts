/** Markdown and HTML for badges, and the paths of feeds. */
import { isSite, pagePath } from "./site";

/** A badge: paths in this application, and its alternative text. */
export type Badge = { src: string; href: string; alt: string };

/** The badge of a project: its number of open regressions. */
export function projectBadge(project: string): Badge {
  const path = encodeURIComponent(project);
  return {
    src: isSite() ? `/badges/${path}.svg` : `/api/v1/projects/${path}/badge.svg`,
    href: pagePath(`/${path}/regressions`),
    alt: `Regressions of ${project}`,
  };
}

/** The badge of a series: its newest time. */
export function seriesBadge(
  { project, series_id, name }: { project: string; series_id: number; name: string },
  quantile: "p50" | "p99",
): Badge {
  const path = encodeURIComponent(project);
  return {
    // Sites have one badge of each series.
    src: isSite()
      ? `/badges/${path}/${series_id}.svg`
      : `/api/v1/series/${series_id}/badge.svg?quantile=${quantile}`,
    href: pagePath(`/${path}/series/${series_id}`),
    alt: `${name}, ${quantile}`,
  };
}

/** The path of a feed. */
export function feedPath(project: string, feed: "regressions" | "runs"): string {
  const path = `${encodeURIComponent(project)}/${feed}.atom`;
  return isSite() ? `/${path}` : `/api/v1/projects/${path}`;
}

export function badgeMarkdown({ src, href, alt }: Badge, origin: string): string {
  return `[![${alt.replace(/[\\[\]]/g, "\\$&")}](${origin}${src})](${origin}${href})`;
}

export function badgeHtml({ src, href, alt }: Badge, origin: string): string {
  return `<a href="${quoted(origin + href)}"><img src="${quoted(origin + src)}" alt="${quoted(alt)}"></a>`;
}

function quoted(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
