/** Markdown and HTML for badges. Pure. */

/** A badge: paths on this server, and its alternative text. */
export type Badge = { src: string; href: string; alt: string };

/** The badge of a project: its number of open regressions. */
export function projectBadge(project: string): Badge {
  const path = encodeURIComponent(project);
  return {
    src: `/api/v1/projects/${path}/badge.svg`,
    href: `/${path}/regressions`,
    alt: `Regressions of ${project}`,
  };
}

/** The badge of a series: its newest time. */
export function seriesBadge(
  { project, series_id, name }: { project: string; series_id: number; name: string },
  quantile: "p50" | "p99",
): Badge {
  return {
    src: `/api/v1/series/${series_id}/badge.svg?quantile=${quantile}`,
    href: `/${encodeURIComponent(project)}/series/${series_id}`,
    alt: `${name}, ${quantile}`,
  };
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
