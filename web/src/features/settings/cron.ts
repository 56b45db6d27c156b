/** A schedule's time in plain words. Pure. */
import { toString as inWords } from "cronstrue";
import { upperFirst } from "@/lib/units";

/** `At 02:30 UTC, every day`; `null` where it is no time. Five fields, as the server takes them. */
export function cronText(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== 5) return null;
  try {
    const words = inWords(cron, { use24HourTimeFormat: true, verbose: true });
    // The zone belongs to the last time of day that is named.
    return upperFirst(words.replace(/(\d\d:\d\d)(?!.*\d\d:\d\d)/, "$1 UTC"));
  } catch {
    return null;
  }
}
