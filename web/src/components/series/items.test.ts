import { expect, it } from "vitest";
import { aSeries } from "@/test/fixtures";
import { itemsOf } from "./items";
import { listOf } from "./traits";

const rows = (["pipe", "tcp", "pipe"] as const).map((transport, index) =>
  aSeries({ series_id: index + 1, transport, case: { message_bytes: 64 << index } }),
);
const { entries } = listOf(rows, (row) => row);
const usual = {
  keyOf: ({ series_id }: (typeof rows)[number]) => series_id,
  group: "none" as const,
  toggled: [],
  isFolded: false,
};
const keys = (options: Partial<Parameters<typeof itemsOf<(typeof rows)[number]>>[1]>) =>
  itemsOf(entries, { ...usual, ...options }).map(({ key }) => key);

it("lists rows in their order, with notes below them", () => {
  const below = ({ series_id }: (typeof rows)[number]) => series_id === 2 && "a note";
  expect(keys({ below })).toEqual(["1", "2", "below 2", "3"]);
});

it("groups rows by a trait, in the order of their first rows", () => {
  expect(keys({ group: "transport" })).toEqual(["group pipe", "1", "3", "group tcp", "2"]);
});

it("closes and opens groups", () => {
  expect(keys({ group: "transport", toggled: ["pipe"] })).toEqual(["group pipe", "group tcp", "2"]);
  const folded = { group: "transport", isFolded: true } as const;
  expect(keys(folded)).toEqual(["group pipe", "group tcp"]);
  expect(keys({ ...folded, toggled: ["tcp"] })).toEqual(["group pipe", "group tcp", "2"]);
  expect(keys({ ...folded, name: "stream", toggled: ["stream-tcp"] })).toEqual([
    "group pipe",
    "group tcp",
    "2",
  ]);
});

it("closes a group of rows without the trait", () => {
  expect(keys({ group: "benchmark", toggled: ["none"] })).toEqual(["group "]);
});

it("has the sections of a page unless a group is selected", () => {
  const sections = [
    { key: "slower", title: "Slower", rows: rows.slice(2) },
    { key: "faster", title: "Faster", rows: rows.slice(0, 1), more: "1 of 2" },
  ];
  expect(keys({ sections })).toEqual(["section slower", "3", "section faster", "1", "more faster"]);
  expect(keys({ sections, group: "transport" })[0]).toBe("group pipe");
});
