import { useLandline, useStorePart } from "@landline/client/react";
import { needsYou } from "../sessions/session-groups.ts";

/** How many sessions wait for an answer. */
export function useAttentionCount(): number {
  return useStorePart(useLandline().sessions, ({ sessions }) => sessions.filter(needsYou).length);
}
