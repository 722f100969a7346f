import * as fs from "node:fs/promises";
import * as path from "node:path";
import { LandlineError } from "@landline/protocol";
import { fileLogs } from "../../src/log/file-logs.ts";
import { readAll, update } from "./log.contract.ts";

/** Writes to a disk that rejects writes and prints the results. Started by file-logs.test.ts. */
const [kind, folder = ""] = process.argv.slice(2);

function problem(error: unknown): { code: string; message: string } {
  if (!(error instanceof LandlineError)) throw error;
  return { code: error.code, message: error.message };
}

async function fullDisk(): Promise<unknown> {
  const log = await fileLogs(folder).create("full");
  let refused: { code: string } | null = null;
  let headBefore = 0;
  while (!refused) {
    headBefore = log.head;
    try {
      log.append([update("a".repeat(700)), update("b".repeat(700))]);
    } catch (error) {
      refused = problem(error);
    }
  }
  const numbers = (await readAll(log)).map((event) => event.seq);
  const headAfter = log.head;
  const after = log.append([update("c")]).first;
  return { code: refused.code, headBefore, headAfter, numbers, after };
}

async function readOnly(): Promise<unknown> {
  const before = fileLogs(folder);
  const log = await before.create("kept");
  log.append([update("a"), update("b"), update("c")]);
  await before.close();
  await fs.chmod(path.join(folder, "kept", "000000000001.ndjson"), 0o444);
  await fs.chmod(path.join(folder, "kept"), 0o555);
  await fs.chmod(folder, 0o555);
  // Permission bits do not apply to root, so drop root.
  if (process.getuid?.() === 0) process.setuid?.(65_534);
  const logs = fileLogs(folder);
  const kept = await logs.open("kept");
  const read = (await readAll(kept)).map((event) => event.seq);
  let append: unknown;
  try {
    kept.append([update("d")]);
  } catch (error) {
    append = problem(error);
  }
  const create = await logs.create("new").catch(problem);
  return { read, append, create };
}

console.log(JSON.stringify(await (kind === "full" ? fullDisk() : readOnly())));
