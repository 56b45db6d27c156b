/**
 * What is said of agents. Whether one is heard of, whether it is given work and whether it can measure are three different
 * things, and none of them is told by another. Pure.
 */
import type { AgentSummary } from "@/api/types";
import { formatAgo } from "./time";

type Shape = "full" | "half" | "empty" | "alarm" | "cross";

export type AgentState = { word: string; shape: Shape; because: string | null };

export function contactOf({ is_online, last_seen_at }: AgentSummary, now: Date): AgentState {
  return is_online
    ? { word: "online", shape: "full", because: null }
    : { word: "offline", shape: "empty", because: `last heard of ${formatAgo(last_seen_at, now)}` };
}

export function workOf({ is_enabled, is_draining }: AgentSummary): AgentState {
  if (is_draining) return { word: "draining", shape: "half", because: "it finishes what it has" };
  return is_enabled
    ? { word: "enabled", shape: "full", because: null }
    : { word: "disabled", shape: "empty", because: null };
}

/** Whether it can measure, as it says, and whether what it measures is doubted, as it or the server says. */
export function fitnessOf({ failing, suspect }: AgentSummary, suspectBecause: string | null): AgentState {
  const doubts = [...suspect, ...(suspectBecause === null ? [] : [suspectBecause])];
  if (failing.length > 0) return { word: "failing", shape: "cross", because: failing.join("; ") };
  return doubts.length > 0
    ? { word: "suspect", shape: "alarm", because: doubts.join("; ") }
    : { word: "healthy", shape: "full", because: null };
}

/** Labels as words: `the label lab`, `the labels lab, macos`. */
export function labelsText(labels: readonly string[]): string {
  return `the ${labels.length === 1 ? "label" : "labels"} ${labels.join(", ")}`;
}

/** Labels, or names of commits, as they were typed: with commas or blanks between. */
export function namesTyped(typed: string): string[] {
  return typed.split(/[\s,]+/).filter(Boolean);
}

export function turnedAwayText({ machine, is_busy }: AgentSummary): string {
  const lost = is_busy ? "What it measures now is lost, and measured by another or not at all. " : "";
  return `${lost}Its token is revoked at once, and ${machine} needs another code to come back. What it measured stays, and what waits for it goes on waiting.`;
}
