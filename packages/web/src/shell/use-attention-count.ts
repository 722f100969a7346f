import { useLandline, useStorePart } from "@landline/client/react";
import { needsYou } from "../sessions/session-groups.ts";

/** How many sessions can't go on without you. */
export function useAttentionCount(): number {
  return useStorePart(useLandline().sessions, ({ sessions }) => sessions.filter(needsYou).length);
}
