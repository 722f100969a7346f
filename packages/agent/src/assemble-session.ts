import { join } from "node:path";
import { peopleBehind } from "./acp/permission-requests.ts";
import type { Client } from "./acp/acp-client.ts";
import { readPrompt } from "./acp/prompt-content.ts";
import { questionsOfServers } from "./acp/mcp-elicitation.ts";
import type { CommandDefinition, Config, Project } from "./config/config.ts";
import { expandTemplate } from "./config/expand-template.ts";
import { findPlaces } from "./config/config-folders.ts";
import { exists } from "@landline/system/missing-file";
import { gatewayDataName } from "@landline/system/process-mark";
import { openProject } from "./config/project.ts";
import type { AgentEvent, FileChanged } from "./core/record.ts";
import type { SessionParts } from "./core/session-parts.ts";
import type { Session } from "./core/session.ts";
import type { Assemble, Place } from "./core/sessions.ts";
import { openMcpServers } from "./mcp/mcp-servers.ts";
import type { OpenModels } from "./model/model-selection.ts";
import { streamStep } from "./model/stream.ts";
import { withheldFile } from "./permission/withheld-file.ts";
import { isChange } from "./session/plan-undo.ts";
import { restoreLast } from "./session/restore.ts";
import { openSnapshots, type Snapshots } from "./session/snapshot.ts";
import { runTracked } from "./session/track-changes.ts";
import { toolsFor } from "./tools/registry.ts";
import { truncateOutput } from "./tools/truncate.ts";
import { CommandSandbox, SandboxFinder } from "./workspace/command-sandbox.ts";
import { FileLocks } from "./workspace/file-locks.ts";
import { openWorkspace, type OwnedWorkspace } from "./workspace/open-workspace.ts";

interface AssemblerOptions {
  environment: NodeJS.ProcessEnv;
  home: string;
  /** The folder of our own data. */
  data: string;
  client: Client;
  listener(session: Session, event: AgentEvent): void;
  openModels(config: Config): Promise<OpenModels>;
}

/** Puts sessions together from the rooms. What one holds, its `release` lets go. */
export function assembler(options: AssemblerOptions): Assemble {
  const locks = new FileLocks();
  const people = peopleBehind(options.client);
  const { home, data } = options;
  const gateway = options.environment[gatewayDataName];
  const finder = new SandboxFinder({ home, data, hidden: gateway ? [data, gateway] : [data] });
  return async (sessionId, place) => {
    const project = await projectAt(options, place);
    const models = await options.openModels(project.config);
    let { config } = project;
    const sandbox = new CommandSandbox(finder, () => config.sandbox);
    const workspace = openWorkspace({
      sandbox,
      client: options.client,
      sessionId,
      cwd: place.cwd,
      directories: place.directories,
      ownFolders: [options.data],
    });
    let mcp = serversOf(options, project, place, sessionId);
    let snapshots: Promise<Snapshots | null> | null = null;
    const openedSnapshots = () => {
      snapshots ??= openSnapshots({
        cwd: place.cwd,
        directories: place.directories,
        data: options.data,
      });
      return snapshots;
    };
    return {
      project,
      models,
      workspace,
      mcp,
      people,
      isGit: await isInGit(options, place),
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
        runTracked(openedSnapshots, turnOf(session, promptId), run),
      async reopen() {
        const again = await projectAt(options, place);
        ({ config } = again);
        mcp = serversOf(options, again, place, sessionId);
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

function projectAt({ environment, home }: AssemblerOptions, place: Place): Promise<Project> {
  const { cwd, directories } = place;
  return openProject({ cwd, directories, environment, home });
}

async function isInGit({ environment, home }: AssemblerOptions, place: Place): Promise<boolean> {
  const { root } = await findPlaces({ cwd: place.cwd, environment, home });
  return exists(join(root, ".git"));
}

/** The client's servers win over the project's of the same name. */
function serversOf(
  { environment, client }: AssemblerOptions,
  project: Project,
  place: Place,
  sessionId: string,
) {
  const named = new Set(place.mcpServers.map((server) => server.name));
  const configured = project.config.mcpServers.filter((server) => !named.has(server.name));
  const { cwd, directories } = place;
  const elicitation = questionsOfServers(client, sessionId);
  return openMcpServers([...configured, ...place.mcpServers], {
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
    keep: (record: Omit<FileChanged, "at">) => session.keep(record),
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
  if (record) session.keep(record);
  return words;
}

/** The person typed the command, so its shell lines need no further yes: they stand in a file that was trusted. */
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
        const withheld = await withheldFile(path, workspace);
        return withheld ?? (await workspace.readText(path, signal)).text;
      } catch {
        return null;
      }
    },
  });
}
