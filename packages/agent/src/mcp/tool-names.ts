import { createHash } from "node:crypto";
import { builtInTools } from "../config/default-rules.ts";

/** Maximum length of a full name. A longer one is cut and gets a hash. */
const nameCharacters = 64;

/**
 * Assigns full names, `server_tool`. A name is never reassigned to another tool, because rules and approvals
 * are stored by name.
 */
export class ToolNames {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set(builtInTools);

  nameOf(server: string, tool: string): string {
    const key = JSON.stringify([server, tool]);
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    const plain = `${sanitise(server)}_${sanitise(tool)}`;
    const fits = plain.length <= nameCharacters && !this.#taken.has(plain);
    const name = fits ? plain : marked(plain, key);
    this.#given.set(key, name);
    this.#taken.add(name);
    return name;
  }
}

/** Keeps only characters that all providers accept. */
export function sanitise(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function marked(plain: string, key: string): string {
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${plain.slice(0, nameCharacters - mark.length - 1)}_${mark}`;
}
