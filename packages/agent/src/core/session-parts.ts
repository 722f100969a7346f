import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { CommandDefinition, Project } from "../config/config.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Models } from "../model/model.ts";
import type { StepPart, StepRequest } from "../model/stream.ts";
import type { SessionFile } from "../session/store.ts";
import type { Subagents, ToolSituation } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { FileLocks } from "../workspace/file-locks.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { UserRequests } from "./user-requests.ts";
import type { AgentEvent, UserPart } from "./record.ts";
import type { Session } from "./session.ts";

/** The dependencies of a session. */
export interface SessionParts {
  readonly file: SessionFile;
  project: Project;
  readonly workspace: Workspace;
  readonly models: Models;
  mcp: McpServers;
  readonly user: UserRequests;
  /** The session whose `task` call started this one. */
  readonly parent: Session | null;
  /** The id of that `task` call. */
  readonly taskCallId: string | null;
  readonly isGit: boolean;
  readonly locks: FileLocks;
  /** Frees everything that the session holds except its file. */
  release(): Promise<void>;
  /** Reads the project's files and connects its MCP servers again. */
  reopen(): Promise<{ project: Project; mcp: McpServers }>;
  listener(session: Session, event: AgentEvent): void;
  stream(request: StepRequest): AsyncIterable<StepPart>;
  toolsFor(situation: ToolSituation): Promise<Tool[]>;
  subagents(session: Session): Subagents | null;
  truncate(output: string, callId: string, folder: string): Promise<string>;
  /** The blocks of a prompt from index `from` on, as the model reads them. */
  readPrompt(content: ContentBlock[], signal: AbortSignal, from?: number): Promise<UserPart[]>;
  expandCommand(
    definition: CommandDefinition,
    values: string,
    signal: AbortSignal,
  ): Promise<string>;
  /** Performs an undo or redo and returns the result as text. */
  restore(session: Session, direction: "undo" | "redo"): Promise<string>;
  /**
   * Runs a turn and records what its commands changed on disk, for undo. The turn calls `beforeChange` before
   * its first change.
   */
  tracked<Value>(
    session: Session,
    promptId: string,
    run: (beforeChange: () => Promise<void>) => Promise<Value>,
  ): Promise<Value>;
}
