import type { AgentExited, AgentWaiting } from "./events.ts";

export function waitingText({ running, limit }: Pick<AgentWaiting, "running" | "limit">): string {
  return `Waiting for a free agent: ${running} of ${limit} are running.`;
}

/** Why an agent that did nothing was ended. */
export const idleExitText: Readonly<Record<NonNullable<AgentExited["because"]>, string>> = {
  idle: "The idle agent was ended. Your next prompt starts it again.",
  room: "The idle agent was ended to make room for another. Your next prompt starts it again.",
  "signed-out":
    "The agent was ended because somebody signed out of it. Your next prompt starts it again.",
};
