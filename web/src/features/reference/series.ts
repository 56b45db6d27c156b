/** The series that may stand beside a publication. */
import { foundSeriesQuery } from "@/api/queries";
import type { Protocol } from "./ours";

/** More than any preset that follows a publication has, on several machines. */
const SERIES_MAX = 1000;

export const ownSeriesQuery = (project: string, { asked }: Protocol) =>
  foundSeriesQuery(project, { ...asked, limit: SERIES_MAX });
