/** Replaces decimal.js-light, with which Recharts would choose ticks (`vite.config.ts`): all axes state theirs. */
// biome-ignore lint/style/noDefaultExport: like the replaced package.
export default function Decimal(): never {
  throw new Error("State the ticks of every axis: Recharts cannot choose them.");
}
