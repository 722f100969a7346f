import { join } from "node:path";
import { userRequestsTo } from "./acp/permission-requests.ts";
import type { Client } from "./acp/acp-client.ts";
import { readPrompt } from "./acp/prompt-content.ts";
import { mcpElicitationOf } from "./acp/mcp-elicitation.ts";
import type { CommandDefinition, Config, Project } from "./config/config.ts";
import { expandTemplate } from "./config/expand-template.ts";
import { findConfigLocations } from "./config/config-folders.ts";
import { exists } from "@landline/system/missing-file";
import { gatewayDataName } from "@landline/system/process-mark";
import { openProject } from "./config/project.ts";
import type { AgentEvent, FileChanged } from "./core/record.ts";
import type { SessionParts } from "./core/session-parts.ts";
import type { Session } from "./core/session.ts";
import type { AssembleSession, SessionSetup } from "./core/sessions.ts";
import { openMcpServers } from "./mcp/mcp-servers.ts";
import type { OpenModels } from "./model/model-selection.ts";
import { streamStep } from "./model/stream.ts";
import { withheldFile } from "./permission/withheld-file.ts";
import { isChange } from "./session/plan-undo.ts";
import { restoreLast } from "./session/restore.ts";
import { openSnapshots, type Snapshots } from "./session/snapshot.ts";
import { withChangeTracking } from "./session/track-changes.ts";
import { toolsFor } from "./tools/registry.ts";
import { truncateOutput } from "./tools/truncate.ts";
import { CommandSandbox, SandboxFinder } from "./workspace/command-sandbox.ts";
import { FileLocks } from "./workspace/file-locks.ts";
import { openWorkspace, type OwnedWorkspace } from "./workspace/open-workspace.ts";

interface AssemblerOptions {
  environment: NodeJS.ProcessEnv;
  home: string;
  /** The agent's data folder. */
  data: string;
  client: Client;
  listener(session: Session, event: AgentEvent): void;
  openModels(config: Config): Promise<OpenModels>;
}

/** Builds the parts of sessions. `release` frees what a session holds. */
export function sessionAssembler(options: AssemblerOptions): AssembleSession {
  const locks = new FileLocks();
  const user = userRequestsTo(options.client);
  const { home, data } = options;
  const gateway = options.environment[gatewayDataName];
  const finder = new SandboxFinder({ home, data, hidden: gateway ? [data, gateway] : [data] });
  return async (sessionId, setup) => {
    const project = await projectAt(options, setup);
    const models = await options.openModels(project.config);
    let { config } = project;
    const sandbox = new CommandSandbox(finder, () => config.sandbox);
    const workspace = openWorkspace({
      sandbox,
      client: options.client,
      sessionId,
      cwd: setup.cwd,
      directories: setup.directories,
      ownFolders: [options.data],
    });
    let mcp = serversOf(options, project, setup, sessionId);
    let snapshots: Promise<Snapshots | null> | null = null;
    const openedSnapshots = () => {
      snapshots ??= openSnapshots({
        cwd: setup.cwd,
        directories: setup.directories,
        data: options.data,
      });
      return snapshots;
    };
    return {
      project,
      models,
      workspace,
      mcp,
      user,
      isGit: await isInGit(options, setup),
      locks,
      listener: (session, event) => options.listener(session, event),
      stream: streamStep,
      toolsFor: (situation) => Promise.resolve(toolsFor(situation)),
      truncate: truncateOutput,
      readPrompt: (content, signal, from) => readPrompt(content, workspace, signal, from),
      expandCommand: (definition, values, signal) =>
        expandCommand(workspace, definition, values, signal),
      restore: (session, direction) => restore(session, direction, workspace, locks),
      tracked: (session, promptId, run) =>
        withChangeTracking(openedSnapshots, turnOf(session, promptId), run),
      async reopen() {
        const again = await projectAt(options, setup);
        ({ config } = again);
        mcp = serversOf(options, again, setup, sessionId);
        return { project: again, mcp };
      },
      async release() {
        models.close();
        await Promise.all([
          mcp.close(),
          workspace.close(),
          sandbox.close(),
          (await snapshots)?.[Symbol.asyncDispose](),
        ]);
      },
    } satisfies Omit<SessionParts, "file" | "parent" | "taskCallId" | "subagents">;
  };
}

function projectAt({ environment, home }: AssemblerOptions, setup: SessionSetup): Promise<Project> {
  const { cwd, directories } = setup;
  return openProject({ cwd, directories, environment, home });
}

async function isInGit(
  { environment, home }: AssemblerOptions,
  setup: SessionSetup,
): Promise<boolean> {
  const { root } = await findConfigLocations({ cwd: setup.cwd, environment, home });
  return exists(join(root, ".git"));
}

/** A server of the client replaces a configured one with the same name. */
function serversOf(
  { environment, client }: AssemblerOptions,
  project: Project,
  setup: SessionSetup,
  sessionId: string,
) {
  const named = new Set(setup.mcpServers.map((server) => server.name));
  const configured = project.config.mcpServers.filter((server) => !named.has(server.name));
  const { cwd, directories } = setup;
  const elicitation = mcpElicitationOf(client, sessionId);
  return openMcpServers([...configured, ...setup.mcpServers], {
    cwd,
    directories,
    environment,
    ...(elicitation && { elicitation }),
  });
}

function turnOf(session: Session, promptId: string) {
  const start = session.records.length;
  return {
    promptId,
    kept: () => session.records.slice(start).filter(isChange),
    append: (record: Omit<FileChanged, "at">) => session.append(record),
  };
}

async function restore(
  session: Session,
  direction: "undo" | "redo",
  workspace: OwnedWorkspace,
  locks: FileLocks,
): Promise<string> {
  const { record, words } = await restoreLast({
    direction,
    records: session.records,
    workspace,
    locks,
  });
  if (record) session.append(record);
  return words;
}

/**
 * The user typed the command and trusted the file that contains its shell lines, so they run without a
 * request.
 */
function expandCommand(
  workspace: OwnedWorkspace,
  definition: CommandDefinition,
  values: string,
  signal: AbortSignal,
): Promise<string> {
  return expandTemplate(definition.template, values, {
    async run(line) {
      const command = await workspace.start({ line, cwd: workspace.cwd, signal });
      try {
        return (await command.ended).output;
      } finally {
        await command.release();
      }
    },
    async read(path) {
      try {
        const file = await workspace.locate(path);
        return withheldFile(file, workspace) ?? (await workspace.readText(file, signal)).text;
      } catch {
        return null;
      }
    },
  });
}
