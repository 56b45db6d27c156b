/**
 * A static site, built by the real program, which `ROUNDTRIP_SERVER_PROGRAM` names, and served from a subfolder like on
 * GitHub Pages: without rewriting, and without a declared encoding.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import type { Report } from "./report";
import { test as base } from "./test";
import { variable } from "./variable";

/** The folder on the host. */
const FOLDER = "/benchmarks/";
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Tests of a site: `baseURL` is its address. */
export const siteTest = (reports: () => Report[]) =>
  base.extend<object, { site: string }>({
    site: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from this pattern.
      async ({}, use) => {
        const folder = mkdtempSync(join(tmpdir(), "roundtrip-site-"));
        const server = serve(build(folder, reports()));
        await new Promise((resolve) => server.once("listening", resolve));
        await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}${FOLDER}`);
        server.close();
        rmSync(folder, { recursive: true });
      },
      { scope: "worker" },
    ],
    baseURL: async ({ site }, use) => use(site),
  });

function build(folder: string, reports: Report[]): string {
  const program = variable("ROUNDTRIP_SERVER_PROGRAM", "expected the path of the program `roundtrip-server`");
  mkdirSync(join(folder, "reports"));
  for (const report of reports) {
    writeFileSync(join(folder, "reports", `${report.run_id}.json`), JSON.stringify(report));
  }
  const site = join(folder, "site");
  execFileSync(program, ["site", join(folder, "reports"), "--output", site], { stdio: "pipe" });
  return site;
}

function serve(site: string): Server {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const path = normalize(decodeURIComponent(pathname));
    const name = path === FOLDER ? "index.html" : path.slice(FOLDER.length);
    try {
      if (!path.startsWith(FOLDER)) throw new Error("outside of the site");
      const contents = readFileSync(join(site, name));
      response.setHeader("content-type", TYPES[extname(name)] ?? "application/octet-stream");
      response.end(contents);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  return server.listen(0, "127.0.0.1");
}
