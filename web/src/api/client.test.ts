import { expect, it } from "vitest";
import { wholeList } from "./client";

it("reads all pages of a list", async () => {
  const asked: { limit: number; after?: string }[] = [];
  const answers = [
    { next_after: "b", names: ["a", "b"] },
    { next_after: "d", names: ["c", "d"] },
    { next_after: null, names: [] },
  ];
  const names = await wholeList(
    async (query) => {
      asked.push(query);
      const answer = answers[asked.length - 1];
      if (answer === undefined) throw new Error("Nothing follows.");
      return answer;
    },
    (answer) => answer.names,
  );
  expect(names).toEqual(["a", "b", "c", "d"]);
  expect(asked).toEqual([{ limit: 1000 }, { limit: 1000, after: "b" }, { limit: 1000, after: "d" }]);
});
