/** Axis ranges and labelled positions. */

/** An axis: its range, and its labelled positions in ascending order. */
export type Scale = { domain: [number, number]; ticks: number[] };

/** A linear axis with about `count` labels at round multiples of a unit (for example mebibytes), never below zero. */
export function linearScale(values: number[], count = 5, unit = 1): Scale {
  const { low, high } = extent(values);
  // A flat line gets a range of 10 % on each side.
  const margin = (high - low) * 0.06 || high * 0.1 || 1;
  const from = Math.max(0, low - margin);
  const to = high + margin;
  const step = roundStep((to - from) / count / unit) * unit;
  const ticks = multiples(step, from, to);
  return { domain: [from, to], ticks };
}

/** A linear axis of changes, which includes zero. */
export function changeScale(values: number[], count = 5): Scale {
  const { low, high } = extent([0, ...values]);
  const margin = (high - low) * 0.06 || 0.1;
  const [from, to] = [low - margin, high + margin];
  return { domain: [from, to], ticks: multiples(roundStep((to - from) / count), from, to) };
}

/** An axis of whole numbers such as commits; the ends are always labelled. */
export function ordinalScale(values: number[], count = 6): Scale {
  const { low, high } = extent(values);
  if (low === high) return { domain: [low - 1, high + 1], ticks: [low] };
  const step = Math.max(1, roundStep((high - low) / count));
  const clear = step / 2;
  const between = multiples(step, low, high).filter((tick) => tick - low > clear && high - tick > clear);
  return { domain: [low, high], ticks: [low, ...between, high] };
}

/** An axis of moments in milliseconds, labelled evenly. */
export function timeScale(values: number[], count = 4): Scale {
  const { low, high } = extent(values);
  if (low === high) return { domain: [low - 1, high + 1], ticks: [low] };
  const ticks = Array.from({ length: count }, (_, index) => low + ((high - low) * index) / (count - 1));
  return { domain: [low, high], ticks };
}

/** A logarithmic axis over positive values, labelled at 1, 2 and 5 of each decade, or fewer if those are many. */
export function logScale(values: number[], count = 8): Scale {
  const { low, high } = extent(values.filter((value) => value > 0));
  const [from, to] = low === high ? [low / 2, high * 2] : [low, high];
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = decades(from, to, steps);
    if (ticks.length <= count) return { domain: [from, to], ticks: ticks.length > 0 ? ticks : [from, to] };
  }
  const powers = decades(from, to, [1]);
  const every = Math.ceil(powers.length / count);
  return { domain: [from, to], ticks: powers.filter((_, index) => index % every === 0) };
}

/** A logarithmic axis of sizes in bytes, labelled at evenly spaced powers of two. */
export function byteScale(sizes: number[], count = 6): Scale {
  const { domain } = logScale(sizes);
  const [first, last] = [Math.ceil(Math.log2(domain[0])), Math.floor(Math.log2(domain[1]))];
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const length = Math.max(0, Math.floor((last - first) / every) + 1);
  return { domain, ticks: Array.from({ length }, (_, index) => 2 ** (first + index * every)) };
}

export function extent(values: number[]): { low: number; high: number } {
  if (values.length === 0) return { low: 0, high: 1 };
  return {
    low: values.reduce((least, value) => Math.min(least, value)),
    high: values.reduce((most, value) => Math.max(most, value)),
  };
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  // The nearest round number.
  const factor = [1, 2, 5].find((candidate) => rough < candidate * power * 1.5) ?? 10;
  return factor * power;
}

function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

function decades(from: number, to: number, steps: number[]): number[] {
  const first = Math.floor(Math.log10(from));
  const last = Math.ceil(Math.log10(to));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
    .flatMap((power) => steps.map((step) => step * power))
    .filter((tick) => tick >= from && tick <= to);
}
