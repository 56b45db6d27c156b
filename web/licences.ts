/**
 * Vite writes the licences of bundled scripts. This plugin adds those of packages whose files are only copied: fonts.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** The file with all licences, served at `/licenses.md`. The licences require it in every distributed bundle. */
export const LICENCES = "licenses.md";

export function licencesOfFiles(): Plugin {
  return {
    name: "roundtrip:licences-of-files",
    apply: "build",
    generateBundle: {
      // After Vite has written its own.
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

/** Returns the folder of the package that contains a file. */
function packageOf(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, "package.json")) ? folder : packageOf(folder);
}

/** Formats the licence of a package like Vite does. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `## ${name} - ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
