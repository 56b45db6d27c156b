import { describe, expect, it } from "vitest";
import { countOf, readSizes, scaled, sizesText } from "./sizes";

function read(text: string) {
  const result = readSizes(text);
  return "error" in result ? result.error : sizesText(result.buckets);
}

describe("pasted sizes", () => {
  it.each([
    ["as text", "12-15:4387,64:3", "12-15:4387,64:3"],
    ["as text over several lines, with blanks", "12 - 15: 4387,\n\n 64:3\r\n", "12-15:4387,64:3"],
    ["as text with buckets that are empty", "1:0,2:5", "2:5"],
    [
      "as a table, whose buckets end where the next begins",
      "bucket_min_bytes,count\n0,0\n12,4387\n16,990\n21,0\n",
      "12-15:4387,16-20:990",
    ],
    ["as a table without a header", "12,4387\n16,0", "12-15:4387"],
    ["as sizes, one per line", "64\n12\n64", "12:1,64:2"],
    ["as sizes below a header", "bytes\n64", "64:1"],
  ])("are read %s", (_, text, sizes) => {
    expect(read(text)).toBe(sizes);
  });

  it("are grouped into buckets without losing messages", () => {
    const sizes = Array.from({ length: 1_000 }, (_, index) => index);
    const result = readSizes(sizes.join("\n"));
    if ("error" in result) throw new Error(result.error);
    expect(countOf(result.buckets)).toBe(1_000);
    expect(result.buckets.length).toBeLessThan(64);
    expect(result.buckets[0]).toEqual({ from_bytes: 0, to_bytes: 0, count: 1 });
    expect(result.buckets.at(-1)?.to_bytes).toBe(999);
  });

  it.each([
    [" \n", "No sizes. Expected 12-15:4387"],
    ["12-15:1,x:3", "Line 1: “x:3” is not a bucket. Expected sizes and a count"],
    ["12:1\n-1:2", "Line 2: “-1:2” is not a bucket"],
    ["12,1\n16;2", "Line 2: “16;2” is not a row. Expected bucket_min_bytes,count."],
    ["12,4387\n16,5", "Line 2: the last bucket has no end. Add a row"],
    ["16,1\n12,0", "Line 2: bucket_min_bytes is 12. Expected more than 16"],
    ["64\n1.5", "Line 2: “1.5” is not a size. Expected whole bytes"],
    ["9-8:1", "Bucket 9-8 ends before it begins."],
    ["1-8:1,8-9:1", "Bucket 8-9 is not above the previous one, which ends at 8."],
    ["1:0", "All buckets are empty"],
    ["1099511627777:1", "Message size 1099511627777 is too large. Expected at most 1 TiB."],
    ["1:1125899906842625", "Bucket count 1125899906842625 is too large"],
    [
      Array.from({ length: 1_001 }, (_, bytes) => `${bytes}:1`).join(","),
      "1,001 buckets are too many. Expected at most 1,000.",
    ],
    [Array.from({ length: 900 }, (_, bytes) => `${bytes}:1000000`).join(","), "characters in the address"],
  ])("are rejected with position and expectation: %.20s", (text, error) => {
    expect(read(text)).toContain(error);
  });
});

it.each([
  ["12-15:4,16-20:9,64:1", 2, "24-31:4,32-41:9,128-129:1"],
  ["12-15:4,16-20:9,64-79:1", 0.5, "6-7:4,8-10:9,32-39:1"],
  ["1:4,2:9,3:1,900-1000:5", 0.01, "1:14,9:5"],
])("scales %s by %d as the server does", (text, times, longer) => {
  const result = readSizes(text);
  if ("error" in result) throw new Error(result.error);
  expect(sizesText(scaled(result.buckets, times))).toBe(longer);
});
