/** States of agents: contact, work and health are independent of each other. Pure. */
import type { AgentSummary } from "@/api/types";
import { formatAgo } from "./time";

type Shape = "full" | "half" | "empty" | "alarm" | "cross";

export type AgentState = { word: string; shape: Shape; because: string | null };

export function contactOf({ is_online, last_seen_at }: AgentSummary, now: Date): AgentState {
  return is_online
    ? { word: "online", shape: "full", because: null }
    : { word: "offline", shape: "empty", because: `last seen ${formatAgo(last_seen_at, now)}` };
}

export function workOf({ is_enabled, is_draining }: AgentSummary): AgentState {
  if (is_draining) return { word: "draining", shape: "half", because: "finishing its job" };
  return is_enabled
    ? { word: "enabled", shape: "full", because: null }
    : { word: "disabled", shape: "empty", because: null };
}

/** Whether it can measure, and whether its results are suspect. */
export function fitnessOf({ failing, suspect }: AgentSummary, suspectBecause: string | null): AgentState {
  const doubts = [...suspect, ...(suspectBecause === null ? [] : [suspectBecause])];
  if (failing.length > 0) return { word: "failing", shape: "cross", because: failing.join("; ") };
  return doubts.length > 0
    ? { word: "suspect", shape: "alarm", because: doubts.join("; ") }
    : { word: "healthy", shape: "full", because: null };
}

/** `the label lab`, `the labels lab, macos`. */
export function labelsText(labels: readonly string[]): string {
  return `the ${labels.length === 1 ? "label" : "labels"} ${labels.join(", ")}`;
}

/** Splits labels or commit names at commas and white space. */
export function namesTyped(typed: string): string[] {
  return typed.split(/[\s,]+/).filter(Boolean);
}

export function removalText({ machine, is_busy }: AgentSummary): string {
  const lost = is_busy ? "Its current measurement is lost. " : "";
  return `${lost}Its token is revoked. To return, ${machine} needs a new code. Results and queued jobs stay.`;
}
