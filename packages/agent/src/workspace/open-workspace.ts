import type { Client } from "../acp/acp-client.ts";
import { ClientCommand } from "./client-command.ts";
import { ClientFiles } from "./client-files.ts";
import { type CommandSandbox, noSandbox } from "./command-sandbox.ts";
import { CommandOwner } from "./command-owner.ts";
import { localFiles } from "./local-files.ts";
import { Roots } from "./roots.ts";
import { Search } from "./search.ts";
import { UnsavedFiles } from "./unsaved-files.ts";
import { plainShellCall, shellCall } from "./shell.ts";
import { CommandProblem, FileProblem, type RunningCommand, type Workspace } from "./workspace.ts";

export interface WorkspaceOptions {
  /** Null without a client. */
  client: Client | null;
  sessionId: string;
  cwd: string;
  directories: readonly string[];
  /** The agent's own folders, which the client is never asked about. */
  ownFolders?: readonly string[];
  sandbox?: CommandSandbox | null;
}

/** A workspace that can be closed by its owner. */
export interface OwnedWorkspace extends Workspace, AsyncDisposable {
  /** Ends all commands and background processes; releases the client's terminals. */
  close(): Promise<void>;
}

export function openWorkspace(options: WorkspaceOptions): OwnedWorkspace {
  const { client, sessionId } = options;
  const roots = new Roots(options.cwd, options.directories);
  const unsaved = new UnsavedFiles();
  const ownFolders = options.ownFolders ?? [];
  const files =
    client === null
      ? localFiles
      : new ClientFiles({ client, sessionId, cwd: roots.cwd, ownFolders, unsaved });
  const search = new Search(roots, {
    all: () => unsaved.all(),
    read: async (located, signal) => {
      const file = await files.readText(located, signal).catch(() => null);
      return file?.text ?? null;
    },
  });
  const commands = new CommandOwner();
  const terminals = new Set<RunningCommand>();

  let closed = false;
  const close = async () => {
    closed = true;
    const closing = [...terminals].map(async (terminal) => {
      await terminal.kill();
      await terminal.release();
    });
    await Promise.all([...closing, commands.close()]);
  };

  return {
    cwd: roots.cwd,
    roots: roots.all,
    resolve: (path) => roots.resolve(path),
    locate: (path) => roots.locate(path),
    display: (path) => roots.display(path),
    readText: (file, signal) => files.readText(file, signal),
    readBytes: (file, maxBytes) => localFiles.readBytes(file, maxBytes),
    writeText: (file, text, how) => files.writeText(file, text, how),
    async remove(file) {
      // A link outside that leads inside: nobody allowed a change out there.
      if (!file.isOutside && !(await roots.contains(file.entry)))
        throw new FileProblem("permission-denied", file.path, `${file.path} is a link outside.`);
      await localFiles.remove(file);
      unsaved.note(file.path, false);
    },
    stat: (path) => localFiles.stat(roots.resolve(path)),
    list: (folder) => localFiles.list(folder),
    findFiles: (how) => search.findFiles(how),
    searchText: (how) => search.searchText(how),
    sandbox: options.sandbox ?? noSandbox,
    async start(how) {
      if (closed) throw new CommandProblem("The session is closed: it runs no more commands.");
      const cwd = roots.resolve(how.cwd);
      // Clients cannot confine commands, so a confined one runs locally.
      const isInTerminal = client?.capabilities.terminal === true && !how.confinement;
      const plain = (isInTerminal ? plainShellCall : shellCall)(how.line, process.env);
      const { sandbox } = options;
      if (how.confinement && !sandbox)
        throw new CommandProblem("The command should run in a sandbox, but there is none.");
      const { call, ranConfined } =
        sandbox && how.confinement
          ? await sandbox.confine({ ...plain, cwd }, roots.all, how.confinement)
          : { call: plain, ranConfined: null };
      const command = { ...how, cwd, call, ranConfined };
      if (!isInTerminal) return commands.start(command);
      const terminal = await ClientCommand.start(client, sessionId, command);
      terminals.add(terminal);
      void terminal.released.then(() => terminals.delete(terminal));
      return terminal;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
