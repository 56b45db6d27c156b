/** Static sites: the same application over precomputed files, without a server. The generator marks `index.html`. */

/** The folder of the data; `null` on a server. */
export function siteData(): string | null {
  const mark = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="roundtrip-site"]');
  return mark == null ? null : new URL(mark.content, document.baseURI).href;
}

export function isSite(): boolean {
  return siteData() !== null;
}

/** The address of the application without a slash at the end: of the server, or of the site's folder. */
export function applicationRoot(): string {
  return isSite() ? new URL(".", document.baseURI).href.replace(/\/$/, "") : window.location.origin;
}

/** The path of a page in the application. On a site, it is behind `#`, because its host knows only files. */
export function pagePath(path: string): string {
  return isSite() ? `/#${path}` : path;
}

/** The path and query of the shown page. */
export function shownPath(): string {
  const { pathname, search, hash } = window.location;
  if (!isSite()) return `${pathname}${search}`;
  return hash.slice(1).split("#")[0] || "/";
}

/** The address of a page with another value of a query parameter; `null` removes it. */
export function withParameter(address: string, name: string, value: string | null): string {
  const url = new URL(address);
  const page = isSite() ? new URL(url.hash.slice(1), url.origin) : url;
  if (value === null) page.searchParams.delete(name);
  else page.searchParams.set(name, value);
  if (isSite()) url.hash = `${page.pathname}${page.search}${page.hash}`;
  return url.href;
}

/** Where `roundtrip` commands send their results: to this server, or to a file that is added to the site's reports. */
export function resultArguments(): string {
  return isSite() ? "--output report.json" : `--upload ${window.location.origin}`;
}
