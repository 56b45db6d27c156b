/** From channels to what the settings say of them. Pure. */
import type { Channel, ChannelEvent, ChannelKind } from "@/api/types";
import { formatAgo } from "@/lib/time";
import { upperFirst } from "@/lib/units";

export const KIND_NAMES: Record<ChannelKind, string> = {
  slack: "Slack",
  webhook: "webhook",
  email: "e-mail",
};

/** What a channel of each kind needs to know, and what an example looks like. */
export const TARGETS: Record<ChannelKind, { label: string; note: string; placeholder: string }> = {
  slack: {
    label: "Address",
    note: "Of an incoming webhook of Slack, or of whoever takes the same. It is not shown again.",
    placeholder: "https://hooks.slack.com/services/…",
  },
  webhook: {
    label: "Address",
    note: "It gets a signed POST of JSON. It is not shown again.",
    placeholder: "https://example.org/hook",
  },
  email: { label: "Address", note: "Of one person or one list.", placeholder: "ada@example.org" },
};

/** What a channel can be told of; the first is what it is told of unless asked otherwise. */
export const EVENTS: Record<ChannelEvent, string> = {
  regressed: "a commit made something slower",
  fixed: "a regression is fixed, as was measured",
  improved: "a commit made something faster",
  machine: "a machine became suspect",
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
  if (disabled_because !== null) return `The server turned it off: ${disabled_because}.`;
  if (last_failure_at !== null && (last_success_at === null || last_failure_at > last_success_at)) {
    return `${upperFirst(formatAgo(last_failure_at, now))} a message was not taken: ${failure}.`;
  }
  if (last_success_at === null) return "Nothing was sent yet.";
  return `The last message was taken ${formatAgo(last_success_at, now)}.`;
}
