import { expect, it } from "vitest";
import { intervalText, sizeOf } from "./intervals";

it.each([
  [19_456, "19 KiB"],
  [19_700, "19 KiB"],
  [1500, "1.5 KiB"],
  [900.4, "900 B"],
  [262_144, "256 KiB"],
  [1_170_000, "1.1 MiB"],
])("%d bytes read %s", (bytes, text) => {
  expect(sizeOf(bytes)).toBe(text);
});

it.each([
  [{ x: 19_456, from: 17_408, to: 22_528 }, "19 KiB [17, 22]"],
  [{ x: 1500, from: 900, to: 2100 }, "1.5 KiB [900 B, 2.1]"],
  // A narrow one takes the digits that it needs.
  [{ x: 29_836, from: 29_534, to: 30_809 }, "29.1 KiB [28.8, 30.1]"],
  [{ x: 19_456, from: null, to: 22_528 }, "19 KiB [not bounded, 22]"],
])("the interval of %j reads %s", (interval, text) => {
  expect(intervalText(interval)).toBe(text);
});
