import { unwatchFile, watchFile } from "node:fs";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { xdgFolder } from "@landline/system/home-folders";
import { unlessMissing } from "@landline/system/missing-file";
import { replacePrivateFile } from "@landline/system/replace-file";
import { errorMessage } from "@landline/system/error-message";
import { withholdKey } from "../withheld-keys.ts";
import type { Environment } from "./provider-settings.ts";

/** Maximum size of the file. A larger one is treated as damaged and not changed. */
const credentialsBytes = 256 * 1_024;
/** Polling interval for changes: another process may have signed in. */
const credentialsLookMs = 1_000;

/** Keys stored with `login`, one per provider. They are never logged. */
export interface Credentials {
  readonly path: string;
  /** What is wrong with the file and what to do. A damaged file is neither used nor overwritten. */
  readonly problem: string | undefined;
  key(provider: string): string | undefined;
  providers(): string[];
  store(provider: string, key: string): Promise<void>;
  /** False when there was no key. */
  remove(provider: string): Promise<boolean>;
  /** Another process may have signed in. */
  reload(): Promise<void>;
  onChange(listener: () => void): () => void;
  /** Reloads on every change until the returned function is called. */
  watch(): () => void;
}

export function credentialsPath(environment: Environment, home: string): string {
  const folder = xdgFolder(environment, "XDG_CONFIG_HOME", home);
  return join(folder, "landline", "agent-credentials.json");
}

/** The file may be missing. It has mode 0600 and is replaced atomically. */
export async function openCredentials(options: {
  environment: Environment;
  home: string;
}): Promise<Credentials> {
  const credentials = new FileCredentials(credentialsPath(options.environment, options.home));
  await credentials.reload();
  return credentials;
}

class FileCredentials implements Credentials {
  readonly path: string;
  #keys = new Map<string, string>();
  #problem: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  constructor(path: string) {
    this.path = path;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  key(provider: string): string | undefined {
    return this.#keys.get(provider);
  }

  providers(): string[] {
    return [...this.#keys.keys()];
  }

  reload(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  store(provider: string, key: string): Promise<void> {
    const clean = key.trim();
    if (provider === "" || clean === "") {
      return Promise.reject(new Error("A provider and its key are required."));
    }
    return this.#change((keys) => void keys.set(provider, clean));
  }

  async remove(provider: string): Promise<boolean> {
    let was = false;
    await this.#change((keys) => {
      was = keys.delete(provider);
    });
    return was;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  watch(): () => void {
    const reload = () => void this.reload();
    // Polling, because neither the file nor its folder may exist yet.
    watchFile(this.path, { interval: credentialsLookMs, persistent: false }, reload);
    return () => unwatchFile(this.path, reload);
  }

  #change(edit: (keys: Map<string, string>) => void): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      if (this.#problem !== undefined) throw new Error(this.#problem);
      const keys = new Map(this.#keys);
      edit(keys);
      await this.#write(keys);
      this.#use(keys);
      this.#tell();
    });
  }

  /** Serialises changes of this process. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #read(): Promise<void> {
    const before = this.#said();
    try {
      this.#use(await readKeys(this.path));
      this.#problem = undefined;
    } catch (error) {
      const why = errorMessage(error);
      this.#keys = new Map();
      this.#problem = `The stored keys in ${this.path} can't be used: ${why} Correct the file or remove it, and sign in again.`;
    }
    if (this.#said() !== before) this.#tell();
  }

  #use(keys: Map<string, string>): void {
    this.#keys = keys;
    for (const key of keys.values()) withholdKey(key);
  }

  /** The state that listeners are notified about. */
  #said(): string {
    return JSON.stringify([[...this.#keys], this.#problem]);
  }

  async #write(keys: ReadonlyMap<string, string>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const content = { version: 1, keys: Object.fromEntries(keys) };
    await replacePrivateFile(this.path, `${JSON.stringify(content, null, 2)}\n`);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function readKeys(path: string): Promise<Map<string, string>> {
  const found = await stat(path).catch(unlessMissing(null));
  if (found === null) return new Map();
  if (!found.isFile()) throw new Error("It is not a file.");
  if (found.size > credentialsBytes) throw new Error("It is too large.");
  // Restrict the mode of keys that others can read.
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o600);
  const value = parse(await readFile(path, "utf8"));
  const { keys } = (value ?? {}) as { keys?: unknown };
  if (typeof keys !== "object" || keys === null) throw new Error("It has no `keys`.");
  const pairs = Object.entries(keys).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string" && pair[1].trim() !== "",
  );
  return new Map(pairs);
}

/** The parser's message would quote the text, which contains keys. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("It is not JSON.");
  }
}
