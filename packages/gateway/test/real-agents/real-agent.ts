import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import type { ModelRequest, Reply, ReplyPart } from "@landline/testing";

/** Something that npm installs for a test, once and pinned. */
export interface Installable {
  /** As in the catalog, and as it is named to `npm run test:agents -- NAME`. */
  readonly name: string;
  /** Our own agent needs nothing. */
  readonly npmPackage?: string;
  readonly version: string;
  /** Node's words for platform and processor, when it comes for one only. */
  readonly platform?: `${string}-${string}`;
}

/** A real agent, ours or somebody else's: where it comes from, how it is started, and what it does in its own way. */
export interface RealAgent extends Installable {
  /** Writes the agent's settings into its home, and tells how it is started. */
  readonly launch: (place: Place) => Launch | Promise<Launch>;
  /** What the model says to have a file written: a tool that asks for permission. */
  readonly write: (file: string, content: string) => ReplyPart;
  /** How the agent goes back to a session after a restart. */
  readonly comesBackBy: "resume" | "load";
  /** It does not always know a session again: then the gateway hands it the conversation as text. */
  readonly mayForget?: boolean;
  /** What becomes of a turn in which a permission was rejected. */
  readonly afterReject: "model-goes-on" | "end_turn" | "cancelled";
  /** The answer to a request that is no part of the conversation (a title, a classifier); null: it is one. */
  readonly aside?: (request: ModelRequest) => Reply | string | null;
}

export interface Place {
  /** The agent's HOME, empty. */
  readonly home: string;
  /** Of the scripted model server, without a slash at its end. */
  readonly modelUrl: string;
  /** A path inside the installed packages. */
  readonly installed: (file: string) => string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const root = path.join(import.meta.dirname, "../../../..");

/** Outside the workspace's own node_modules, so that neither sees the other. */
export function folderOf({ name, version }: Installable): string {
  return path.join(root, ".cache/agents", `${name}-${version}`);
}

export function isInstalled(wanted: Installable): boolean {
  if (wanted.npmPackage === undefined) return true;
  const file = path.join(folderOf(wanted), "node_modules", wanted.npmPackage, "package.json");
  if (!existsSync(file)) return false;
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version === wanted.version && existsSync(path.join(folderOf(wanted), "installed"));
}
