import type { LandlineError, Limits, SessionView } from "@landline/protocol";
import type { AgentEntry } from "../agents/agent.ts";
import type { Temporaries } from "../acp-client/files/temporaries.ts";
import type { Rules } from "../acp-client/permissions/rules.ts";
import type { TerminalSandboxes } from "../acp-client/terminals/terminal-sandboxes.ts";
import type { SessionLog } from "../log/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { AgentSlots } from "./agent-slots.ts";
import type { AgentSession, AgentSessionOwner, Before } from "./agent-session.ts";
import type { Facts } from "./facts.ts";
import type { ForkPoint } from "./fork.ts";
import type { LiveSession } from "./session.ts";
import type { Session } from "./sessions.ts";

/** What a session needs of the gateway around it. */
export interface SessionHost {
  readonly limits: Limits;
  readonly strict: boolean;
  readonly resumeQueue: boolean;
  /** The gateway's own folders, which no agent is served from. */
  readonly closedFolders: readonly string[];
  readonly rules: Rules;
  readonly terminalSandboxes: TerminalSandboxes;
  readonly temporaries: Temporaries;
  readonly metrics: Metrics;
  readonly slots: AgentSlots;
  /** Null when the catalog does not have it any more. */
  entryOf(agent: string): AgentEntry | null;
  viewOf(log: SessionLog): Promise<SessionView>;
  startAgent(
    sessionId: string,
    facts: Facts,
    before: Before | null,
    owner: AgentSessionOwner,
  ): Promise<AgentSession>;
  /** The agent has answered a prompt; returns the error as a person should be told it. */
  promptAnswered(agent: string, error: LandlineError | undefined): LandlineError | undefined;
  /** A person chose that, and wants it again. */
  chosen(agent: string, configId: string, options: Facts["options"]): Promise<void>;
  fork(
    session: LiveSession,
    facts: Facts,
    by: string,
    inAgent: () => Promise<ForkPoint | null>,
  ): Promise<Session>;
  /** The agent's ids of what the session was forked from, where that still ends with the same turn. */
  forkOrigins(log: SessionLog): Promise<readonly string[]>;
  changed(session: LiveSession): void;
  /** Something of ours went wrong: for the operator, not for the agent. */
  report(sessionId: string, what: string, error: unknown): void;
}
