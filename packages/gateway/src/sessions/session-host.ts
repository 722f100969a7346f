import type { LandlineError, Limits, SessionSummary, SessionView } from "@landline/protocol";
import type { AgentEntry, AgentHost } from "../agents/agent.ts";
import type { Editors } from "../acp-client/editors.ts";
import type { Temporaries } from "../acp-client/files/temporaries.ts";
import type { Rules } from "../acp-client/permissions/rules.ts";
import type { TerminalSandboxes } from "../acp-client/terminals/terminal-sandboxes.ts";
import type { SessionLog } from "../log/log.ts";
import type { SignIns } from "../sign-in/sign-ins.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { AgentSlots } from "./agent-slots.ts";
import type { ForkPoint } from "./fork.ts";
import type { StoredMcpServers } from "./stored-mcp-servers.ts";
import type { RememberedOptions } from "./remembered-options.ts";
import type { PausedAgents } from "./paused-agents.ts";
import type { Recorder } from "./recorder.ts";
import type { Session } from "./sessions.ts";

/** Dependencies that all sessions share. */
export interface SessionHost {
  readonly limits: Limits;
  readonly strict: boolean;
  readonly resumeQueue: boolean;
  /** The gateway's own folders, as real paths. Agents have no access to them. */
  readonly closedFolders: readonly string[];
  readonly rules: Rules;
  readonly terminalSandboxes: TerminalSandboxes;
  readonly temporaries: Temporaries;
  readonly editors: Editors;
  readonly metrics: Metrics;
  readonly agents: AgentHost;
  readonly catalog: { get(id: string, roots?: readonly string[]): AgentEntry };
  readonly servers: StoredMcpServers;
  readonly signIns: SignIns;
  readonly rememberedOptions: RememberedOptions;
  readonly slots: AgentSlots;
  readonly paused: PausedAgents;
  viewOf(log: SessionLog): Promise<SessionView>;
  fork(original: Recorder, by: string, inAgent: () => Promise<ForkPoint | null>): Promise<Session>;
  /** The agent's session ids of the origins that still end with the same turn. */
  forkOrigins(log: SessionLog): Promise<readonly string[]>;
  changed(summary: SessionSummary): void;
  /** Reports an error of the gateway to the operator, not to the agent. */
  report(sessionId: string, what: string, error: unknown): void;
}

/** Null if the catalog no longer has the agent. */
export function entryOf(
  { catalog }: Pick<SessionHost, "catalog">,
  agent: string,
): AgentEntry | null {
  try {
    return catalog.get(agent);
  } catch {
    return null;
  }
}

/** Records the response to a prompt. Returns the error to show to a person. */
export function promptAnswered(
  host: Pick<SessionHost, "catalog" | "signIns">,
  agent: string,
  error: LandlineError | undefined,
): LandlineError | undefined {
  if (!error) host.signIns.accepted(agent, "prompt");
  const entry = error?.code === "auth-required" ? entryOf(host, agent) : null;
  return entry ? host.signIns.explained(entry, error, "prompt") : error;
}
