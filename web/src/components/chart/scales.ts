/**
 * The scales of axes. Replaces d3's scales, which Recharts imports with their colours, formats and calendars
 * (`vite.config.ts`).
 */

type Ends = readonly [number, number];

export const scaleLinear = () =>
  scaleOf(
    (value) => value,
    (value) => value,
  );

export const scaleLog = () => scaleOf(Math.log, Math.exp);

/** Recharts imports it for its brush only. */
export const scalePoint = undefined;

/** A scale that is linear over a function of its values, and the reverse of that function. The methods are those of d3. */
function scaleOf(into: (value: number) => number, back: (value: number) => number) {
  let domain: Ends = [0, 1];
  let ends = domain;
  let range: Ends = [0, 1];
  const scale = (value: number): number => between(range, shareOf(ends, into(value)));
  scale.invert = (px: number): number => back(between(ends, shareOf(range, px)));
  scale.domain = (to?: Ends) => {
    if (to === undefined) return domain;
    domain = to;
    ends = [into(to[0]), into(to[1])];
    return scale;
  };
  scale.range = (to?: Ends) => {
    if (to === undefined) return range;
    range = to;
    return scale;
  };
  return scale;
}

const between = ([from, to]: Ends, share: number): number => from + share * (to - from);

const shareOf = ([from, to]: Ends, value: number): number =>
  from === to ? 0.5 : (value - from) / (to - from);
