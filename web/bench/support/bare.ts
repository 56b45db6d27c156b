/**
 * The peer: a page that only has the same points as lines of one inline SVG, from a server that only serves this page.
 * It is a lower bound for any page.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { APIRequestContext } from "@playwright/test";
import { numbersOf } from "../../src/lib/statistics";
import { answersOf } from "./answers";

const WIDTH = 1_200;
const HEIGHT = 300;

export class BarePages {
  private readonly pages = new Map<string, Buffer>();
  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {}

  static async start(): Promise<BarePages> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const pages = new BarePages(server, `http://127.0.0.1:${port}`);
    server.on("request", ({ url }, response) => {
      const page = pages.pages.get(url ?? "");
      if (page === undefined) response.writeHead(404).end();
      else response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(page);
    });
    return pages;
  }

  async draw(request: APIRequestContext, series: number[], commits: number): Promise<string> {
    const query = `series=${series.join(",")}&last=${commits}&quantiles=p50&repetitions=false`;
    const chart = await answersOf(request)("/api/v1/charts/line", query);
    const lines = chart.series.map((line) => numbersOf(line.latency_ns?.p50 ?? []));
    const max = Math.max(...lines.flat());
    const drawn = lines.map((values) => `<path class="bare-line" d="${pathOf(values, max)}"/>`);
    const html = `<!doctype html><title>Lines</title><style>path{fill:none;stroke:#000}</style>
<main><svg class="bare-chart" width="${WIDTH}" height="${HEIGHT}">${drawn.join("")}</svg></main>
<script>document.querySelector("svg").addEventListener("mousemove", () => {})</script>`;
    const path = `/${series.join("-")}-${commits}`;
    this.pages.set(path, gzipSync(html));
    return `${this.url}${path}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function pathOf(values: number[], max: number): string {
  const x = (index: number) => ((index / values.length) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - (value / max) * HEIGHT).toFixed(1);
  return values.map((value, index) => `${index === 0 ? "M" : "L"}${x(index)},${y(value)}`).join("");
}
