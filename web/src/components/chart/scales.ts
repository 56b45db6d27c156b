/**
 * The scales that charts have. Recharts looks its scales up among all that d3 has, with their calendars and colours, of which
 * no chart here has any; it is given these in their place (`vite.config.ts`).
 */
export { scaleBand, scaleLinear, scaleLog, scalePoint } from "d3-scale";
