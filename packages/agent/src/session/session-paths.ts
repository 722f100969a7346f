import { isAbsolute, join, resolve } from "node:path";
import { homeFolder, xdgFolder } from "@landline/system/home-folders";

/** The data folder: `LANDLINE_AGENT_DATA`, or the system's default. */
export function dataFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const own = environment["LANDLINE_AGENT_DATA"];
  if (own !== undefined && own !== "") return resolve(own);
  return join(systemFolder(environment, platform), "landline", "agent");
}

function systemFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform !== "win32") return xdgFolder(environment, "XDG_DATA_HOME");
  const { LOCALAPPDATA: named = "" } = environment;
  return isAbsolute(named) ? named : join(homeFolder(environment), "AppData", "Local");
}

/** Paths in the sessions folder. */
export class SessionPaths {
  readonly folder: string;

  constructor(data: string) {
    this.folder = join(data, "sessions");
  }

  get index(): string {
    return join(this.folder, "index.json");
  }

  file(sessionId: string): string {
    return join(this.folder, `${sessionId}${fileEnd}`);
  }

  lock(sessionId: string): string {
    return join(this.folder, `${sessionId}.lock`);
  }

  /** The folder of a session's other files. */
  sessionFolder(sessionId: string): string {
    return join(this.folder, sessionId);
  }

  outputs(sessionId: string): string {
    return join(this.sessionFolder(sessionId), "outputs");
  }
}

const fileEnd = ".jsonl";
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ids come from clients and must not become arbitrary paths. */
export function isSessionId(text: string): boolean {
  return uuid.test(text);
}

/** The session id of a file name; null for other files. */
export function sessionOfFile(name: string): string | null {
  if (!name.endsWith(fileEnd)) return null;
  const sessionId = name.slice(0, -fileEnd.length);
  return isSessionId(sessionId) ? sessionId : null;
}
