import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import type { ModelRequest, Reply, ReplyPart } from "@landline/testing";

/** A package that npm installs for a test, once and pinned. */
export interface Installable {
  /** As in the catalog, and for `npm run test:agents -- NAME`. */
  readonly name: string;
  /** The built-in agent needs nothing. */
  readonly npmPackage?: string;
  readonly version: string;
  /** Node's names for platform and processor, if it exists for one only. */
  readonly platform?: `${string}-${string}`;
}

/** A real agent: its source, its start, and its peculiarities. */
export interface RealAgent extends Installable {
  /** Writes the agent's settings into its home, and returns its command. */
  readonly launch: (place: Place) => Launch | Promise<Launch>;
  /** The model's reply that writes a file: a tool that asks for permission. */
  readonly write: (file: string, content: string) => ReplyPart;
  /** How the agent restores a session after a restart. */
  readonly comesBackBy: "resume" | "load";
  /** It cannot always restore a session: then the gateway sends the transcript. */
  readonly mayForget?: boolean;
  /** The end of a turn in which a permission was rejected. */
  readonly afterReject: "model-goes-on" | "end_turn" | "cancelled";
  /** The answer to a request outside the conversation (a title, a classifier); null: it is inside. */
  readonly aside?: (request: ModelRequest) => Reply | string | null;
}

export interface Place {
  /** The agent's HOME, empty. */
  readonly home: string;
  /** The URL of the scripted model server, without a final slash. */
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

/** Outside the workspace's node_modules, so that neither sees the other. */
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
