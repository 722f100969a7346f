import { idleExitText, type AgentExitedItem } from "@landline/protocol";

export interface AgentExitText {
  readonly title: string;
  readonly help: string | null;
  readonly isTrouble: boolean;
}

/** How an agent exited. A requested exit is not an error. */
export function agentExitText({
  code,
  signal,
  because,
}: Pick<AgentExitedItem, "code" | "signal" | "because">): AgentExitText {
  if (because) return { title: idleExitText[because], help: null, isTrouble: false };
  const help = "Your next prompt starts it again.";
  if (code === 0) return { title: "The agent ended", help: null, isTrouble: false };
  if (signal === "SIGTERM" || signal === "SIGKILL") {
    return { title: "The agent was ended", help: null, isTrouble: false };
  }
  if (signal !== null) return { title: `The agent crashed (${signal})`, help, isTrouble: true };
  if (code !== null) {
    return { title: `The agent ended with code ${code}`, help, isTrouble: true };
  }
  return { title: "The agent exited", help, isTrouble: true };
}
