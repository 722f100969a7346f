import { readFile } from "node:fs/promises";
import { removeLeftovers } from "../folder/leftovers.ts";

/**
 * By which method each agent was signed in to last, kept in a file so that a restart does not forget it.
 * There is no secret in it. A file that can't be understood counts for nothing: people are asked again.
 */
export class LastMethods {
  readonly #path: string;
  readonly #methods: Map<string, string>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, methods: Map<string, string>) {
    this.#path = path;
    this.#methods = methods;
  }

  static async open(path: string): Promise<LastMethods> {
    await removeLeftovers(path);
    const text = await readFile(path, "utf8").catch(() => "");
    return new LastMethods(path, new Map(entriesIn(text)));
  }

  of(agentId: string): string | null {
    return this.#methods.get(agentId) ?? null;
  }

  /** It counts at once; rejects when it could not be kept. */
  note(agentId: string, methodId: string): Promise<void> {
    this.#methods.set(agentId, methodId);
    return this.#keep();
  }

  /** It was signed in to in a way that can't be repeated without a person. */
  forget(agentId: string): Promise<void> {
    return this.#methods.delete(agentId) ? this.#keep() : Promise.resolve();
  }

  /** When everything that was noted so far is in the file, or could not be kept. */
  written(): Promise<void> {
    return this.#writing;
  }

  #keep(): Promise<void> {
    const writing = this.#writing.then(() => this.#write());
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(): Promise<void> {
    const { default: writeFileAtomic } = await import("write-file-atomic");
    const text = `${JSON.stringify(Object.fromEntries(this.#methods), null, 2)}\n`;
    await writeFileAtomic(this.#path, text, { mode: 0o600 });
  }
}

function entriesIn(text: string): [string, string][] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).filter((entry): entry is [string, string] => {
      return typeof entry[1] === "string";
    });
  } catch {
    return [];
  }
}
