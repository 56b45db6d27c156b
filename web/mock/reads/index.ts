/** All reads that the interface sends. A missing one is a compile error. */
import type { Mocks } from "../endpoint";
import { access } from "./access";
import { advice } from "./advice";
import { charts } from "./charts";
import { commits } from "./commits";
import { comparison } from "./comparison";
import { lab } from "./lab";
import { machines } from "./machines";
import { projects } from "./projects";
import { published } from "./published";
import { regressions } from "./regressions";
import { runs } from "./runs";
import { series } from "./series";

export const READS: Mocks<"get"> = {
  ...access,
  ...advice,
  ...charts,
  ...commits,
  ...comparison,
  ...lab,
  ...machines,
  ...projects,
  ...published,
  ...regressions,
  ...runs,
  ...series,
};
