/** What the server has stored, and the addresses of all pages that show it. */
import type { APIRequestContext } from "@playwright/test";
import type { paths } from "../../src/api/schema.gen";

/** The project with ten million points, and the one whose series have 10,000 commits. */
const WIDE = "seeded";
const LONG = "long";
/** How many series are drawn together. */
export const SERIES_TOGETHER = 6;

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/** Series of one chart over their newest commits. */
const seriesAddress = (project: string, [first, ...others]: number[], commits: number): string =>
  `/${project}/series/${first}?with=${others.join(",")}&last=${commits}`;

/** The grid of small lines. */
export const exploreAddress = `/${WIDE}/explore`;

/** A page, and its name in rows. */
export type PageOf = { name: string; address: string };

export type Stored = {
  /** Six series of 1,000 commits, and of 10,000. */
  wide: { series: number[]; address: string };
  long: { series: number[]; address: string };
  pages: PageOf[];
};

/** Asks the server. */
export async function stored(request: APIRequestContext): Promise<Stored> {
  const get = async <Path extends keyof paths>(_: Path, address: string): Promise<Answer<Path>> => {
    const response = await request.get(address);
    if (!response.ok()) throw new Error(`${address} was answered with ${response.status()}.`);
    return response.json();
  };
  const seriesOf = async (project: string) => {
    const query = `scenario=roundtrip&machine=seeded-1&limit=${SERIES_TOGETHER}`;
    const { series } = await get(
      "/api/v1/projects/{project}/series",
      `/api/v1/projects/${project}/series?${query}`,
    );
    return series.map(({ series_id }) => series_id);
  };
  const [wide, long] = [await seriesOf(WIDE), await seriesOf(LONG)];
  const of = `/api/v1/projects/${WIDE}`;
  const { runs } = await get("/api/v1/projects/{project}/runs", `${of}/runs?limit=1`);
  const { commits } = await get("/api/v1/projects/{project}/commits", `${of}/commits?limit=30`);
  const { regressions } = await get(
    "/api/v1/projects/{project}/regressions",
    `${of}/regressions?limit=1&quiet=true`,
  );
  const wideAddress = seriesAddress(WIDE, wide, 1_000);
  const regression = regressions[0];
  const page = (name: string, path: string): PageOf => ({ name, address: `/${WIDE}${path}` });
  return {
    wide: { series: wide, address: wideAddress },
    long: { series: long, address: seriesAddress(LONG, long, 10_000) },
    pages: [
      page("overview", ""),
      { name: "series", address: wideAddress },
      { name: "explore", address: exploreAddress },
      page("compare", `/compare?base=${commits.at(-1)?.sha}&head=${commits[0]?.sha}`),
      page("changes", "/regressions"),
      ...(regression === undefined ? [] : [page("change", `/regressions/${regression.regression_id}`)]),
      page("machines", "/machines"),
      page("machine", "/machines/seeded-1"),
      page("queue", "/jobs"),
      page("ask for a measurement", "/measure"),
      page("runs", "/runs"),
      page("run", `/runs/${runs[0]?.run_id}`),
      page("size sweep", "/sweep"),
      page("topology", "/topology"),
      page("sizes", "/sizes"),
      page("advisor", "/advisor"),
      page("reference", "/reference"),
      page("pull requests", "/pull-requests"),
      page("error rates", "/error-rates"),
      page("settings", "/settings"),
    ],
  };
}
