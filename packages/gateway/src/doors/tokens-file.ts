import { chmod, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { LandlineError, type Limits } from "@landline/protocol";
import writeFileAtomic from "write-file-atomic";
import { leftoversOf, removeLeftovers } from "../folder/leftovers.ts";
import { FolderLock } from "../folder/lock.ts";

/** What a token may do: `watch` sees and can't act. */
export type Role = "control" | "watch";

/** A token as it is kept: never its text, only the hash of it. */
export interface KeptToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly madeAt: number;
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
}

export interface TokensContent {
  /**
   * The text of the token that was made at the first start, so that `landline token url` can print it
   * again. Whoever can read this file can read the conversations beside it too. Null once it is revoked.
   */
  readonly shown: string | null;
  readonly tokens: readonly KeptToken[];
}

const version = 1;
const nothing: TokensContent = { shown: null, tokens: [] };

/** No file is no tokens; a file that can't be understood is an error, and is left as it is. */
export async function readTokens(path: string): Promise<TokensContent> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw unusable(path, `can't be read (${error.code ?? "unknown error"})`, error);
  });
  if (text === null) return nothing;
  const content = parse(text);
  if (!content) throw unusable(path, "is damaged, or was written by a newer Landline");
  return content;
}

/** Reads, changes and replaces the file, alone among all processes that do. */
export async function changeTokens<Result>(
  path: string,
  limits: Limits,
  change: (content: TokensContent) => { readonly content: TokensContent; readonly result: Result },
): Promise<Result> {
  using _lock = await takeLock(`${path}.lock`, limits.tokensLockMs);
  const { content, result } = change(await readTokens(path));
  const text = `${JSON.stringify({ version, ...content }, null, 2)}\n`;
  await writeFileAtomic(path, text, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw unusable(path, `can't be written (${error.code ?? "unknown error"})`, error);
  });
  await chmod(path, 0o600);
  return result;
}

/** What a process that was killed while it changed the tokens has left. */
export async function removeTokenDrafts(path: string, limits: Limits): Promise<void> {
  if ((await leftoversOf(path)).length === 0) return;
  using _lock = await takeLock(`${path}.lock`, limits.tokensLockMs);
  await removeLeftovers(path);
}

/** The system takes it back from a process that ends, so that nobody is locked out by one that was killed. */
async function takeLock(path: string, waitMs: number): Promise<Disposable> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (Date.now() >= deadline) throw locked(path);
    await delay(20);
  }
}

function tryLock(path: string): Disposable | null {
  try {
    return FolderLock.take(path);
  } catch (error) {
    if (error instanceof LandlineError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw unusable(path, `can't be made (${code})`, error);
  }
}

function locked(path: string): LandlineError {
  return new LandlineError("folder-locked", {
    message: `Another command is changing the tokens: it holds ${path}.`,
    help: "Try again when that command is done.",
  });
}

function unusable(path: string, because: string, cause?: unknown): LandlineError {
  return new LandlineError("folder-unusable", {
    message: `The file ${path} ${because}.`,
    help: "Restore it from a copy, or move it away: then a new token is made at the next start.",
    data: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

function parse(text: string): TokensContent | null {
  try {
    const value = JSON.parse(text) as Partial<TokensContent> & { version?: unknown };
    const { shown, tokens } = value;
    const isKnown = value.version === version && (shown === null || typeof shown === "string");
    if (!isKnown || !Array.isArray(tokens) || !tokens.every(isToken)) return null;
    return { shown, tokens };
  } catch {
    return null;
  }
}

function isToken(value: unknown): value is KeptToken {
  if (typeof value !== "object" || value === null) return false;
  const token = value as Partial<Record<keyof KeptToken, unknown>>;
  return (
    typeof token.id === "string" &&
    typeof token.name === "string" &&
    (token.role === "control" || token.role === "watch") &&
    typeof token.madeAt === "number" &&
    typeof token.hash === "string" &&
    /^[0-9a-f]{64}$/.test(token.hash)
  );
}
