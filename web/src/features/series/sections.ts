/** The sections below the trend, which may arrive later, in one script. */
export { Changes } from "./Changes";
export { Distributions } from "./Distributions";
export { SeriesBadge } from "./SeriesBadge";
export { Sizes } from "./Sizes";
export { TimeBudget } from "./TimeBudget";
