/** The state of the page of two profiles in the URL. */
import type { Time, View } from "@/lib/flame";
import { oneOf, searchOf, text } from "@/lib/search";

export const VIEWS = ["difference", "head", "base"] as const satisfies View[];
export const TIMES = ["both", "on-cpu", "waiting"] as const satisfies Time[];

export const parseProfileSearch = searchOf({
  /** The name of the end; by default the one whose CPU time changed the most. */
  end: text,
  time: oneOf(TIMES),
  view: oneOf(VIEWS),
  /** A part of function names. */
  q: text,
});
export type ProfileSearch = ReturnType<typeof parseProfileSearch>;
