// @vitest-environment node
/** Checks that the generated types match the API document. After a change there, run `npm run gen`. */
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
  // The command adds a comment above the output of the library.
  expect(committed.endsWith(astToString(generated)), "stale: run `npm run gen`").toBe(true);
});
