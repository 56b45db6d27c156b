/** What was done, and when. */
import type { World } from "./world/world";

/** When everything is changed: the mock has no clock. */
export const NOW = "2026-11-24T12:00:00Z";

/** Keeps in the log what was done. */
export function tell(world: World, action: string, subject: string): void {
  const actor = actorOf(world);
  world.audit.unshift({ action, actor, subject, details: {}, happened_at: NOW, request_id: "01JDMOCK" });
}

/** Who does it. */
export const actorOf = ({ session }: World): string => `account:${session.account?.name ?? "nobody"}`;
