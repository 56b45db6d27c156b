/**
 * Adds to the licences of bundled scripts, which Vite writes, those of the packages whose files are only copied: fonts.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** Where they are: `/licenses.md`. Who gives the bundle away has to give these as well. */
export const LICENCES = "licenses.md";

export function licencesOfFiles(): Plugin {
  return {
    name: "roundtrip:licences-of-files",
    apply: "build",
    generateBundle: {
      // Vite's own come first.
      order: "post",
      handler(_, bundle) {
        const written = bundle[LICENCES];
        if (written?.type !== "asset") throw new Error(`the bundle has no ${LICENCES}`);
        const assets = Object.values(bundle).filter((output) => output.type === "asset");
        const files = assets.flatMap((asset) => asset.originalFileNames);
        const folders = files.filter((file) => file.includes("node_modules/")).map(packageOf);
        const texts = [...new Set(folders)].sort().map(licenceOf);
        written.source = [String(written.source), ...texts].join("\n");
      },
    },
  };
}

/** The folder of the package that a file is in. */
function packageOf(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, "package.json")) ? folder : packageOf(folder);
}

/** In the form of Vite's. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no text of its licence`);
  return `## ${name} - ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
