import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import { waitingText, type AgentState } from "@landline/protocol";

const starts: Readonly<Record<NonNullable<AgentState["how"]>, string>> = {
  new: "Started a new conversation",
  resume: "Resumed the conversation",
  load: "Loaded the conversation again",
  fork: "Copied the conversation that this one was forked from",
  transcript: "Started with the transcript of this conversation",
};

/** How it was last started, and how many times. */
export function startText({
  how,
  starts: count,
}: Pick<AgentState, "how" | "starts">): string | null {
  if (how === null) return null;
  return count > 1 ? `${starts[how]} (start ${count})` : starts[how];
}

/** The state of the process; an idle one is not called running. */
export function stateText(
  { state, waiting }: Pick<AgentState, "state" | "waiting">,
  isWorking: boolean,
): string {
  if (waiting) return waitingText(waiting);
  if (state !== "running") return "Not running";
  return isWorking ? "Working" : "Ready";
}

export function lastExitText({
  code,
  signal,
}: Pick<NonNullable<AgentState["exit"]>, "code" | "signal">): string {
  if (signal !== null) return `Last ended by ${signal}`;
  return code === null ? "Last ended without an exit code" : `Last ended with exit code ${code}`;
}

export function noiseText(count: number): string {
  return count === 1
    ? "1 line on stdout was not a protocol message"
    : `${count} lines on stdout were not protocol messages`;
}

/** The capabilities that this page knows. */
export function capabilityText(capabilities: AgentCapabilities): string[] {
  const { promptCapabilities, mcpCapabilities, sessionCapabilities } = capabilities;
  const can: readonly (readonly [unknown, string])[] = [
    [promptCapabilities?.image, "images"],
    [promptCapabilities?.audio, "audio"],
    [promptCapabilities?.embeddedContext, "files in prompts"],
    [capabilities.loadSession, "loading"],
    [sessionCapabilities?.resume, "resuming"],
    [sessionCapabilities?.list, "listing"],
    [sessionCapabilities?.delete, "deleting"],
    [sessionCapabilities?.additionalDirectories, "several folders"],
    [mcpCapabilities?.http, "MCP over HTTP"],
    [mcpCapabilities?.sse, "MCP over SSE"],
  ];
  return can.filter(([has]) => Boolean(has)).map(([, word]) => word);
}
