import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { unlessMissing } from "@landline/system/missing-file";
import type { McpServer } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { diskErrorCode } from "../data-folder/disk-error-code.ts";
import type { ProjectDefaults } from "../gateway-options.ts";

type Servers = readonly McpServer[];

/**
 * Stores the MCP servers of sessions for restarts of their agents. They contain keys, so they are in a private file
 * in the session's folder and in no event. The file is written once, before the first event, and deleted with the
 * session.
 */
export class StoredMcpServers {
  readonly #sessions: string;
  readonly #projects: readonly ProjectDefaults[];

  /** `sessions`: the parent folder of the session folders. */
  constructor(sessions: string, projects: readonly ProjectDefaults[]) {
    this.#sessions = sessions;
    this.#projects = projects;
  }

  /**
   * The servers of the config, for sessions that were opened without any. They are not stored, so that config changes
   * apply.
   */
  ofProject(cwd: string): Servers {
    const fits = this.#projects.filter(({ folder }) => !relative(folder, cwd).startsWith(".."));
    return fits.toSorted((a, b) => b.folder.length - a.folder.length)[0]?.mcpServers ?? [];
  }

  async keep(sessionId: string, servers: Servers): Promise<void> {
    const path = this.#path(sessionId);
    try {
      const text = `${JSON.stringify(servers)}\n`;
      await writeFile(path, text, { mode: 0o600, flag: "wx", flush: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new LandlineError(diskErrorCode(error), {
        message: `The MCP servers of the session can't be stored (${code ?? "unknown error"}).`,
        data: { path },
        cause: error,
      });
    }
  }

  /** Null if the session was opened without servers. */
  async of(sessionId: string): Promise<Servers | null> {
    const path = this.#path(sessionId);
    const text = await readFile(path, "utf8").catch(
      unlessMissing(null, (error) => unusable(path, error)),
    );
    return text === null ? null : understood(path, text);
  }

  #path(sessionId: string): string {
    return join(this.#sessions, sessionId, "mcp-servers.json");
  }
}

async function understood(path: string, text: string): Promise<Servers> {
  // Loads zod, so it is imported only when needed.
  const { mcpServersSchema } = await import("@landline/protocol/operations");
  try {
    return mcpServersSchema.parse(JSON.parse(text));
  } catch {
    // The error may quote a key.
    throw unusable(path);
  }
}

function unusable(path: string, cause?: NodeJS.ErrnoException): LandlineError {
  const because = cause ? `can't be read (${cause.code ?? "unknown error"})` : "is damaged";
  return new LandlineError("folder-unusable", {
    message: `The file with the session's MCP servers, ${path}, ${because}.`,
    help: "Restore it from a backup, or delete it; the agent then starts without them.",
    data: { path },
    ...(cause && { cause }),
  });
}
