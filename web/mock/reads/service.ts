/** The server itself, and short links. */
import { type Mocks, Plain, text } from "../endpoint";

type Path = "/healthz" | "/l/{code}" | "/readyz";

export const service: Pick<Mocks<"get">, Path> = {
  "/healthz": () => text("text/plain; charset=utf-8", "ok\n"),
  // The mock keeps no links: each leads to where everything begins.
  "/l/{code}": () => new Plain(302, { location: "/" }),
  "/readyz": () => text("text/plain; charset=utf-8", "ready\n"),
};
