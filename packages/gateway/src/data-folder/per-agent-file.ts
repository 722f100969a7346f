import { readFile } from "node:fs/promises";
import { removeTemporaryFiles, replacePrivateFile } from "@landline/system/replace-file";

/**
 * A file with one small value per agent, and no secrets. Invalid content is ignored, because the gateway can ask the
 * user again.
 */
export class PerAgentFile<Value> {
  readonly #path: string;
  readonly #values: Map<string, Value>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, values: Map<string, Value>) {
    this.#path = path;
    this.#values = values;
  }

  static async open<Value>(
    path: string,
    isValue: (value: unknown) => value is Value,
  ): Promise<PerAgentFile<Value>> {
    await removeTemporaryFiles(path);
    const text = await readFile(path, "utf8").catch(() => "");
    return new PerAgentFile(path, new Map(entriesIn(text, isValue)));
  }

  entries(): Iterable<readonly [agentId: string, value: Value]> {
    return this.#values;
  }

  of(agentId: string): Value | null {
    return this.#values.get(agentId) ?? null;
  }

  /** Takes effect at once. Rejects if the file could not be written. */
  note(agentId: string, value: Value): Promise<void> {
    this.#values.set(agentId, value);
    return this.#keep();
  }

  forget(agentId: string): Promise<void> {
    return this.#values.delete(agentId) ? this.#keep() : Promise.resolve();
  }

  /** Resolves when all changes so far are in the file or have failed. */
  written(): Promise<void> {
    return this.#writing;
  }

  #keep(): Promise<void> {
    const writing = this.#writing.then(() => this.#write());
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(this.#values), null, 2)}\n`;
    await replacePrivateFile(this.#path, text);
  }
}

function entriesIn<Value>(
  text: string,
  isValue: (value: unknown) => value is Value,
): [string, Value][] {
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null) return [];
    return Object.entries(kept).flatMap(([agentId, value]: [string, unknown]) =>
      isValue(value) ? [[agentId, value]] : [],
    );
  } catch {
    return [];
  }
}
