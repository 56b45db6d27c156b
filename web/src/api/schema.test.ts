// @vitest-environment node
/** Holds the generated types to the API document: after a change there, `npm run gen` renews them. */
import { readFile } from "node:fs/promises";
import openapiTypescript, { astToString } from "openapi-typescript";
import { expect, it } from "vitest";

it("schema.gen.ts is what the API document generates", async () => {
  const document = new URL("../../../server/openapi.json", import.meta.url);
  const generated = await openapiTypescript(JSON.parse(await readFile(document, "utf8")), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  const committed = await readFile(new URL("./schema.gen.ts", import.meta.url), "utf8");
  // The command puts a comment above what the library returns.
  expect(committed.endsWith(astToString(generated)), "stale: run `npm run gen`").toBe(true);
});
