/**
 * Files of other tools, imported by the real command: `ROUNDTRIP_AGENT` names it, and `ROUNDTRIP_TOKEN_FILE` the file
 * with the token for uploads. They become runs of the measured commit.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asAnotherRun, type Report, readReport } from "./report";
import { variable } from "./variable";

/** The root of this repository. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Files as their tools wrote them. */
const GOLDEN = "crates/import/tests/golden";

/** An imported file and its run. */
export type Imported = { file: Buffer; run_id: string };

/**
 * Imports a golden file.
 *
 * @throws if the command is not named, or fails.
 */
export function importGolden(name: string, url: string): Imported {
  const path = join(ROOT, GOLDEN, name);
  // Otherwise the host in a file becomes another machine.
  const { run_id } = importInto([path, "--upload", url, "--machine", readReport().machine.slug]);
  return { file: readFileSync(path), run_id };
}

/**
 * Converts times in seconds by command, as from hyperfine, to a report, without uploading it.
 *
 * @throws if the command is not named, or fails.
 */
export function reportOfTimes(times: Record<string, number[]>): Report {
  const results = Object.entries(times).map(([command, seconds]) => ({ command, times: seconds }));
  const folder = mkdtempSync(join(tmpdir(), "roundtrip-times-"));
  try {
    const path = join(folder, "times.json");
    writeFileSync(path, JSON.stringify({ results }));
    // The run id depends on the contents: equal times of two commits would be one run.
    return asAnotherRun(importInto([path, "--from", "hyperfine"]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function importInto(options: string[]): Report {
  const agent = variable("ROUNDTRIP_AGENT", "expected the path of the program `roundtrip`");
  const folder = mkdtempSync(join(tmpdir(), "roundtrip-import-"));
  try {
    const output = join(folder, "report.json");
    execFileSync(agent, ["import", ...options, "--output", output], { cwd: ROOT, stdio: "pipe" });
    return JSON.parse(readFileSync(output, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
