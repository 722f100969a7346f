import { randomUUIDv7 } from "node:crypto";
import { constants } from "node:fs";
import { cp } from "node:fs/promises";
import { unlessMissing } from "@landline/system/missing-file";
import { replacePrivateFile } from "@landline/system/replace-file";
import type { SessionRecord } from "../core/record.ts";
import type { SessionPaths } from "./session-paths.ts";

export interface ForkSource {
  sessionId: string;
  records: readonly SessionRecord[];
}

/**
 * Copies a session and those of its subagents under new ids. Each session id is replaced wherever it occurs:
 * in references, tool outputs and paths. Ids of prompts, steps and calls stay. The session itself is written
 * last, so that a visible fork is complete. Returns its id.
 */
export async function forkSession(
  paths: SessionPaths,
  root: ForkSource,
  descendants: readonly ForkSource[],
): Promise<string> {
  const newIds = new Map(
    [root, ...descendants].map(({ sessionId }) => [sessionId, randomUUIDv7()] as const),
  );
  const withNewIds = (text: string) => {
    let renamed = text;
    for (const [old, current] of newIds) renamed = renamed.replaceAll(old, current);
    return renamed;
  };
  for (const source of [...descendants, root]) {
    const newId = newIds.get(source.sessionId) ?? randomUUIDv7();
    await copyOutputs(paths, source.sessionId, newId);
    const lines = source.records.map((record) => {
      const renamed = withNewIds(JSON.stringify(record));
      return record.kind === "session-created" ? header(renamed, source, source === root) : renamed;
    });
    await replacePrivateFile(paths.file(newId), `${lines.join("\n")}\n`);
  }
  return newIds.get(root.sessionId) ?? "";
}

/** The fork of a subagent's session has no parent. */
function header(text: string, source: ForkSource, isRoot: boolean): string {
  const { parent, ...created } = JSON.parse(text) as Extract<
    SessionRecord,
    { kind: "session-created" }
  >;
  const own = isRoot || parent === undefined ? {} : { parent };
  return JSON.stringify({ ...created, ...own, forkedFrom: source.sessionId });
}

async function copyOutputs(paths: SessionPaths, from: string, to: string): Promise<void> {
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE };
  await cp(paths.sessionFolder(from), paths.sessionFolder(to), options).catch(
    unlessMissing(undefined),
  );
}
