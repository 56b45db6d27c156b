/** Words for changes. Pure. */

/** The change of a time: `+12 %`, `-0.8 %`. */
export function changeText(share: number): string {
  const percent = share * 100;
  const size = Math.abs(percent);
  const digits = size >= 9.95 ? 0 : 1;
  return `${percent < 0 ? "\u2212" : "+"}${size.toFixed(digits)} %`;
}
