/** The stored series to measure with, and the addresses of all pages. */
import type { APIRequestContext } from "@playwright/test";
import { answersOf } from "./answers";

/** The project with ten million points, and the one whose series have 10,000 commits. */
const WIDE = "seeded";
const LONG = "long";
export const SERIES_TOGETHER = 6;

const seriesAddress = (project: string, [first, ...others]: number[], commits: number): string =>
  `/${project}/series/${first}?with=${others.join(",")}&last=${commits}`;

export const exploreAddress = `/${WIDE}/explore`;

export type PageOf = { name: string; address: string };

type Stored = {
  wide: { series: number[]; address: string };
  long: { series: number[]; address: string };
  pages: PageOf[];
};

export async function stored(request: APIRequestContext): Promise<Stored> {
  const seriesOf = async (project: string) => {
    const query = `scenario=roundtrip&machine=seeded-1&limit=${SERIES_TOGETHER}`;
    const { series } = await answersOf(request, project)("/api/v1/projects/{project}/series", query);
    return series.map(({ series_id }) => series_id);
  };
  const [wide, long] = [await seriesOf(WIDE), await seriesOf(LONG)];
  const get = answersOf(request, WIDE);
  const { runs } = await get("/api/v1/projects/{project}/runs", "limit=1");
  const { commits } = await get("/api/v1/projects/{project}/commits", "limit=30");
  const { regressions } = await get("/api/v1/projects/{project}/regressions", "limit=1&quiet=true");
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
      page("commit", `/commit/${commits[0]?.sha}`),
      page("regressions", "/regressions"),
      ...(regression === undefined ? [] : [page("regression", `/regressions/${regression.regression_id}`)]),
      page("machines", "/machines"),
      page("machine", "/machines/seeded-1"),
      page("queue", "/jobs"),
      page("new job", "/measure"),
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
