/** Badges: pictures like those of the server, of no exact width. */
import { text } from "../endpoint";

/** A label and what is said of it. */
export function badge(label: string, message: string) {
  const said = `${label}: ${message}`;
  return text(
    "image/svg+xml",
    `<svg xmlns="http://www.w3.org/2000/svg" width="${7 * said.length}" height="20" role="img"><title>${said}</title><rect width="100%" height="20" rx="3" fill="#333"/><text x="6" y="14" font-size="11" fill="#fff">${said}</text></svg>`,
  );
}
