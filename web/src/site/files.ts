/** The files of a site: JSON, compressed by the generator. */
import { ascending } from "@/lib/collections";
import { siteData } from "@/lib/site";

/** Decoded files that stay in memory; pages ask for the same ones again. */
const FILES_MAX = 300;
/** Statuses for a missing file. Some object stores return 403. */
const MISSING = [403, 404, 410];

const files = new Map<string, Promise<unknown>>();

/** The path of a file in the folder of the data, by the name of its contents. */
export function pathOf(name: string): string {
  const escaped = Array.from(new TextEncoder().encode(name), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w./-]/.test(character) ? character : `~${byte.toString(16).padStart(2, "0")}`;
  });
  return `${escaped.join("")}.json.gz`;
}

/** The name of the answer to a request: its path, and its parameters by name. */
export function nameOf(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => ascending(one, other))
    .map(([name, value]) => `${name}=${value}`);
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
}

/**
 * The contents of a file; `null` if the site has no such file.
 *
 * @throws if the host does not answer, or the file is damaged.
 */
export function read<Contents>(name: string): Promise<Contents | null> {
  const known = files.get(name);
  // The newest are last.
  files.delete(name);
  const file = known ?? load(name);
  files.set(name, file);
  const [oldest] = files.keys();
  if (files.size > FILES_MAX && oldest !== undefined) files.delete(oldest);
  if (known === undefined) file.catch(() => files.delete(name));
  return file as Promise<Contents | null>;
}

/** Whether the file is in memory. */
export function isKept(name: string): boolean {
  return files.has(name);
}

/** Empties the cache. For tests. */
export function forgetFiles(): void {
  files.clear();
}

async function load(name: string): Promise<unknown> {
  const response = await fetch(new URL(pathOf(name), siteData() ?? undefined));
  if (MISSING.includes(response.status)) return null;
  if (!response.ok) throw new Error(`${response.url}: expected a file, got status ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = await (isGzip(bytes) ? inflated(bytes) : new TextDecoder().decode(bytes));
  // Hosts of single-page applications answer with the page instead of an error.
  return text.startsWith("<") ? null : JSON.parse(text);
}

/** False if the host declared the encoding, so that the browser has decompressed the file. */
function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
