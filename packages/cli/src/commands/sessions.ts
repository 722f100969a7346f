import { resolve } from "node:path";
import { loadConfig } from "@landline/gateway";
import type { SessionSummary } from "@landline/protocol";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { listSessions } from "../session-list.ts";
import { ago, tableLines } from "../table.ts";

interface SessionsOptions extends PlaceOptions, JsonOption {
  readonly cwd?: string;
  readonly limit?: number;
}

const LIMIT = 50;

export async function sessions(
  { output }: CommandContext,
  { cwd, limit = LIMIT, json, ...place }: SessionsOptions,
): Promise<number> {
  const { api } = await requireGateway(await loadConfig({ flags: place }));
  const folder = cwd === undefined ? {} : { cwd: resolve(cwd) };
  const found = await listSessions(api, { ...folder, limit });
  if (json === true) for (const session of found) output.json(session);
  else if (found.length === 0)
    output.note('There is no session yet. Start one: landline run "hello".');
  else for (const line of tableLines([head, ...found.map(row)])) output.line(line);
  return exitCode.done;
}

const head = ["SESSION", "AGENT", "STATE", "LAST", "FOLDER", "TITLE"];

function row({ sessionId, agent, state, closedAt, lastAt, cwd, title }: SessionSummary): string[] {
  const shown = closedAt === null ? state : "closed";
  return [sessionId, agent, shown, ago(lastAt, Date.now()), cwd, title ?? ""];
}
