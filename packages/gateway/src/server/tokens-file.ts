import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { unlessMissing } from "@landline/system/missing-file";
import { LandlineError, roles, type Limits, type Role } from "@landline/protocol";
import {
  temporaryFilesOf,
  removeTemporaryFiles,
  replacePrivateFile,
} from "@landline/system/replace-file";
import { appendAudit, type AuditLine } from "../data-folder/audit-file.ts";
import { takeLock } from "../data-folder/lock.ts";

/** A stored token: only its hash. */
export interface StoredToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly madeAt: number;
  /** The session that the token is limited to. */
  readonly session?: string;
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  /** For the token of the gateway's own computer: hashes of the links of its latest starts, oldest first. */
  readonly links?: readonly string[];
}

/** How a page of the token authenticates: it signs with the key, or sends the secret. */
export interface KeptKey {
  readonly id: string;
  readonly tokenId: string;
  readonly madeAt: number;
  /** SubjectPublicKeyInfo in base64url. */
  readonly publicKey?: string;
  readonly secretHash?: string;
  /** For a key of LANDLINE_TOKEN: a slow hash of it. The key is void when LANDLINE_TOKEN changes. */
  readonly of?: string;
}

export interface TokensContent {
  readonly tokens: readonly StoredToken[];
  readonly keys: readonly KeptKey[];
}

const version = 2;
const nothing: TokensContent = { tokens: [], keys: [] };

/** The file with the audit of tokens, next to the tokens file. */
export function accessPath(path: string): string {
  return `${path.replace(/\.json$/, "")}-log.ndjson`;
}

/** A missing file means no tokens. An invalid file is an error and stays unchanged. */
export async function readTokens(path: string): Promise<TokensContent> {
  const text = await readFile(path, "utf8").catch(
    unlessMissing(null, (error) =>
      unusable(path, `can't be read (${error.code ?? "unknown error"})`, error),
    ),
  );
  if (text === null) return nothing;
  const content = parse(text);
  if (!content) throw unusable(path, "is damaged, or was written by a newer Landline");
  return content;
}

/** Reads, changes and replaces the file under a lock between processes, and records the change in the audit. */
export async function changeTokens(
  path: string,
  limits: Limits,
  change: (content: TokensContent) => TokensContent,
  entry: AuditLine | null,
): Promise<void> {
  using _lock = await waitForLock(`${path}.lock`, limits.tokensLockMs);
  const content = change(await readTokens(path));
  const text = `${JSON.stringify({ version, ...content }, null, 2)}\n`;
  await replacePrivateFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw unusable(path, `can't be written (${error.code ?? "unknown error"})`, error);
  });
  if (entry) await appendAudit(accessPath(path), entry, limits.accessLogBytes);
}

/** Before version 2 the file contained the text of a token. */
export async function removeTokenTexts(path: string, limits: Limits): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => "");
  if (/"shown"\s*:/.test(text)) await changeTokens(path, limits, (content) => content, null);
}

/** Removes temporary files of a process that was killed while it changed the tokens. */
export async function removeTokenDrafts(path: string, limits: Limits): Promise<void> {
  if ((await temporaryFilesOf(path)).length === 0) return;
  using _lock = await waitForLock(`${path}.lock`, limits.tokensLockMs);
  await removeTemporaryFiles(path);
}

/** The operating system releases the lock of a killed process. */
async function waitForLock(path: string, waitMs: number): Promise<Disposable> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryLock(path);
    if (lock) return lock;
    if (Date.now() >= deadline) throw locked(path);
    await delay(20);
  }
}

async function tryLock(path: string): Promise<Disposable | null> {
  try {
    return await takeLock(path);
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
    help: "Restore it from a backup, or move it away; the next start then creates a new token.",
    data: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

function parse(text: string): TokensContent | null {
  try {
    const value = JSON.parse(text) as Partial<TokensContent> & { version?: unknown };
    const { tokens } = value;
    if (!Array.isArray(tokens) || !tokens.every(isToken)) return null;
    const { keys = [] } = value;
    if (!Array.isArray(keys) || !keys.every(isKey)) return null;
    if (value.version === version) return { tokens, keys };
    const { shown } = value as { shown?: unknown };
    if (value.version !== 1 || (shown !== null && typeof shown !== "string")) return null;
    return withAdmin(shown, tokens);
  } catch {
    return null;
  }
}

/** Before version 2 there was no admin role: the token of the first start gets it, or else the first with `control`. */
function withAdmin(shown: string | null, tokens: readonly StoredToken[]): TokensContent {
  const shownHash = shown === null ? null : hashOf(shown);
  const admin =
    tokens.find(({ hash }) => hash === shownHash) ?? tokens.find(({ role }) => role === "control");
  // The token of the first start becomes the one with links. Its text stays valid but is no longer stored.
  const isShown = (token: StoredToken) => token.hash === shownHash;
  const promoted = tokens.map((token) =>
    token === admin && token.role === "control"
      ? { ...token, role: "admin" as const, ...(isShown(token) ? { links: [] } : {}) }
      : token,
  );
  return { tokens: promoted, keys: [] };
}

function isKey(value: unknown): value is KeptKey {
  if (typeof value !== "object" || value === null) return false;
  const key = value as Partial<Record<keyof KeptKey, unknown>>;
  return (
    typeof key.id === "string" &&
    typeof key.tokenId === "string" &&
    typeof key.madeAt === "number" &&
    isTextOrAbsent(key.publicKey) &&
    isTextOrAbsent(key.of) &&
    (key.secretHash === undefined || isHash(key.secretHash))
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function isToken(value: unknown): value is StoredToken {
  if (typeof value !== "object" || value === null) return false;
  const token = value as Partial<Record<keyof StoredToken, unknown>>;
  return (
    typeof token.id === "string" &&
    typeof token.name === "string" &&
    roles.some((role) => role === token.role) &&
    typeof token.madeAt === "number" &&
    isHash(token.hash) &&
    isTextOrAbsent(token.session) &&
    (token.links === undefined || (Array.isArray(token.links) && token.links.every(isHash)))
  );
}
