import { expect, test } from "vitest";
import { badgeHtml, badgeMarkdown, projectBadge, seriesBadge } from "./badges";

const ORIGIN = "https://roundtrip.example.org";

test("a project badge links to its regressions", () => {
  expect(badgeMarkdown(projectBadge("libfoo"), ORIGIN)).toBe(
    `[![Regressions of libfoo](${ORIGIN}/api/v1/projects/libfoo/badge.svg)](${ORIGIN}/libfoo/regressions)`,
  );
});

test("badge names are escaped in Markdown and HTML", () => {
  const badge = seriesBadge({ project: "libfoo", series_id: 7, name: 'Ping["a" & <b>]' }, "p99");
  expect(badgeMarkdown(badge, ORIGIN)).toContain('[![Ping\\["a" & <b>\\], p99](');
  expect(badgeHtml(badge, ORIGIN)).toBe(
    `<a href="${ORIGIN}/libfoo/series/7"><img src="${ORIGIN}/api/v1/series/7/badge.svg?quantile=p99" ` +
      'alt="Ping[&quot;a&quot; &amp; &lt;b>], p99"></a>',
  );
});
