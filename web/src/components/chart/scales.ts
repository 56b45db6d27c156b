/** The scales that charts use. Replaces the full d3 scales, which Recharts imports (`vite.config.ts`). */
export { scaleBand, scaleLinear, scaleLog, scalePoint } from "d3-scale";
