/** Formats times and durations. The API uses RFC 3339; times are shown in the user's time zone. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago a moment was; from 30 days on, the day itself. */
export function formatAgo(moment: string, now: Date): string {
  const passed_ms = now.getTime() - new Date(moment).getTime();
  // Clocks differ slightly between machines: a moment just ahead of ours counts as now.
  if (passed_ms < MINUTE_MS) return "just now";
  if (passed_ms < HOUR_MS) return `${Math.floor(passed_ms / MINUTE_MS)} min ago`;
  if (passed_ms < DAY_MS) return `${Math.floor(passed_ms / HOUR_MS)} h ago`;
  const days = Math.floor(passed_ms / DAY_MS);
  if (days < 30) return days === 1 ? "yesterday" : `${days} days ago`;
  return formatDay(moment);
}

export function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}

// Shared: creating one is slower than formatting with it.
const MOMENTS = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** A moment to the minute, as in 14 Nov 2026, 10:42. */
export function formatMoment(moment: string): string {
  return MOMENTS.format(new Date(moment));
}

/** The time of day of a moment, as in 14:02. */
export function formatClock(moment: Date): string {
  return moment.toLocaleTimeString("en-GB", { timeStyle: "short" });
}

/** A duration in one unit: 40 s, 12 min, 3 h, 4 days. */
export function formatSpan(span_ms: number): string {
  if (span_ms < MINUTE_MS) return `${Math.max(0, Math.round(span_ms / 1000))} s`;
  if (span_ms < HOUR_MS) return `${Math.round(span_ms / MINUTE_MS)} min`;
  if (span_ms < 2 * DAY_MS) return `${Math.round(span_ms / HOUR_MS)} h`;
  return `${Math.round(span_ms / DAY_MS)} days`;
}

/** The day of a moment, as in 14 Nov 2026. */
export function formatDay(moment: string): string {
  return new Date(moment).toLocaleDateString("en-GB", { dateStyle: "medium" });
}

export function formatDuration(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((new Date(to).getTime() - new Date(from).getTime()) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
