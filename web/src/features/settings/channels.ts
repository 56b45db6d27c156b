/** Texts about notification channels. Pure. */
import type { Channel, ChannelEvent, ChannelKind } from "@/api/types";
import { formatAgo } from "@/lib/time";

export const KIND_NAMES: Record<ChannelKind, string> = {
  slack: "Slack",
  webhook: "Webhook",
  email: "E-mail",
};

/** The address field for each kind of channel. */
export const TARGETS: Record<ChannelKind, { label: string; note: string; placeholder: string }> = {
  slack: {
    label: "Address",
    note: "Incoming webhook of Slack or compatible. Not shown again.",
    placeholder: "https://hooks.slack.com/services/…",
  },
  webhook: {
    label: "Address",
    note: "Receives signed JSON by POST. Not shown again.",
    placeholder: "https://example.org/hook",
  },
  email: { label: "Address", note: "One person or list.", placeholder: "ada@example.org" },
};

/** The events of a channel; the first is the default. */
export const EVENTS: Record<ChannelEvent, string> = {
  regressed: "Regression",
  fixed: "Confirmed fix",
  improved: "Improvement",
  machine: "Suspect machine",
};

export function eventsText(events: readonly ChannelEvent[]): string {
  const words: Record<ChannelEvent, string> = {
    regressed: "regressions",
    fixed: "fixes",
    improved: "improvements",
    machine: "machines",
  };
  return (Object.keys(words) as ChannelEvent[])
    .filter((event) => events.includes(event))
    .map((event) => words[event])
    .join(", ");
}

export function outcomeText(channel: Channel, now: Date): string {
  const { last_success_at, last_failure_at, failure, disabled_because } = channel;
  if (disabled_because !== null) return `Turned off by the server: ${disabled_because}`;
  if (last_failure_at !== null && (last_success_at === null || last_failure_at > last_success_at)) {
    return `Failed ${formatAgo(last_failure_at, now)}: ${failure}`;
  }
  if (last_success_at === null) return "Nothing sent yet";
  return `Last sent ${formatAgo(last_success_at, now)}`;
}
