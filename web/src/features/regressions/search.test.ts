import { expect, test } from "vitest";
import { askedFor } from "@/lib/regressions";
import { parseInboxSearch } from "./search";

test("the inbox opens with what somebody has to look at", () => {
  expect(askedFor(parseInboxSearch({}))).toEqual({ direction: "regressed", state: "new,acknowledged" });
});

test("what is not understood is left out", () => {
  expect(parseInboxSearch({ shown: "odd", direction: 7, quiet: "yes", after: "<" })).toEqual({});
});

test("a state, a direction and a place of the list are asked for", () => {
  const search = parseInboxSearch({ shown: "all", direction: "improved", quiet: true, after: "abc" });
  expect(askedFor(search)).toEqual({ direction: "improved", quiet: true, after: "abc" });
});
