import { expect, it } from "vitest";
import { colouredOf, contextStyle, lineStyle, withFamilyStyles } from "./lines";

const distinctStyles = (styles: unknown[]) => new Set(styles.map((style) => JSON.stringify(style))).size;

/** Lines of families, as many as given. */
function styled(families: Record<string, number>) {
  const lines = Object.entries(families).flatMap(([family, count]) =>
    Array.from({ length: count }, () => ({ family })),
  );
  return withFamilyStyles(lines);
}

const hueOf = (stroke: string) => stroke.match(/\d/)?.[0];

function linesPerColour(lines: ReturnType<typeof styled>): number {
  const counts = new Map<string, number>();
  for (const { style } of lines) counts.set(style.stroke, (counts.get(style.stroke) ?? 0) + 1);
  return Math.max(...counts.values());
}

it("distinguishes sixteen lines", () => {
  expect(distinctStyles(Array.from({ length: 16 }, (_, index) => lineStyle(index)))).toBe(16);
});

it("gives each family a hue, whatever the others are", () => {
  const lines = styled({ socket: 6, pipe: 2, "shared-memory": 4, "out-of-line": 5, "message-queue": 1 });
  const hues = (family: string) =>
    new Set(lines.filter((line) => line.family === family).map(({ style }) => hueOf(style.stroke)));
  expect(hues("socket")).toEqual(new Set(["2"]));
  expect(new Set(lines.map(({ style }) => hueOf(style.stroke))).size).toBe(5);
  expect(hueOf(styled({ socket: 1 })[0]?.style.stroke ?? "")).toBe("2");
});

it.each([
  [
    "the transports of Linux",
    { pipe: 2, socket: 6, "message-queue": 1, "shared-memory": 4, "out-of-line": 5 },
  ],
  ["one large family", { program: 20 }],
  ["unknown families", { program: 8, runtime: 8, "shared-memory": 4 }],
])("draws at most four lines in one colour, and no two alike: %s", (_, families) => {
  const lines = styled(families);
  expect(linesPerColour(lines)).toBeLessThanOrEqual(4);
  expect(distinctStyles(lines.map(({ style }) => style))).toBe(lines.length);
});

it("greys a line without changing its dash and marker", () => {
  const style = lineStyle(6);
  expect(contextStyle(style)).toEqual({ ...style, stroke: "var(--context)", ink: "var(--muted)" });
});

it("colours at most eight lines: the current ones, or without any, the first", () => {
  const lines = (isCurrent: (index: number) => boolean) =>
    Array.from({ length: 20 }, (_, index) => ({ key: String(index), current: isCurrent(index) }));
  expect([...colouredOf(lines((index) => index % 10 === 3))]).toEqual(["3", "13"]);
  expect(colouredOf(lines(() => false)).size).toBe(8);
  expect(colouredOf(lines(() => true)).size).toBe(8);
});
