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
import type { People } from "./user-requests.ts";
import type { AgentEvent, UserPart } from "./record.ts";
import type { Session } from "./session.ts";

/** What a session is put together from. */
export interface SessionParts {
  readonly file: SessionFile;
  project: Project;
  readonly workspace: Workspace;
  readonly models: Models;
  mcp: McpServers;
  readonly people: People;
  /** The session whose `task` call this one answers. */
  readonly parent: Session | null;
  /** That call. */
  readonly taskCallId: string | null;
  readonly isGit: boolean;
  readonly locks: FileLocks;
  /** Lets go of everything that the session holds but its file. */
  release(): Promise<void>;
  /** Reads the project's files again, and connects its servers anew. */
  reopen(): Promise<{ project: Project; mcp: McpServers }>;
  listener(session: Session, event: AgentEvent): void;
  stream(request: StepRequest): AsyncIterable<StepPart>;
  toolsFor(situation: ToolSituation): Promise<Tool[]>;
  subagents(session: Session): Subagents | null;
  truncate(output: string, callId: string, folder: string): Promise<string>;
  /** What the model reads of a prompt, from the block at `from` on. */
  readPrompt(content: ContentBlock[], signal: AbortSignal, from?: number): Promise<UserPart[]>;
  expandCommand(
    definition: CommandDefinition,
    values: string,
    signal: AbortSignal,
  ): Promise<string>;
  /** Performs an undo or redo, and says in words what came of it. */
  restore(session: Session, direction: "undo" | "redo"): Promise<string>;
  /** Runs a turn, which tells before it changes anything, and keeps what its commands changed on disk, for undo. */
  tracked<Value>(
    session: Session,
    promptId: string,
    run: (beforeChange: () => Promise<void>) => Promise<Value>,
  ): Promise<Value>;
}
