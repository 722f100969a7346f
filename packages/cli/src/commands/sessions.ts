import { resolve } from "node:path";
import { loadConfig } from "@landline/gateway";
import type { SessionSummary } from "@landline/protocol";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { listAgentSessions, type AgentSession } from "../agent-session-list.ts";
import type { Output } from "../output.ts";
import { listSessions } from "../session-list.ts";
import { ago, tableLines } from "../table.ts";

interface SessionsOptions extends PlaceOptions, JsonOption {
  readonly cwd?: string;
  readonly agent?: string;
  readonly limit?: number;
}

const LIMIT = 50;

export async function sessions(
  { output }: CommandContext,
  { cwd, agent, limit = LIMIT, json, ...place }: SessionsOptions,
): Promise<number> {
  const { api } = await requireGateway(await loadConfig({ flags: place }));
  const folder = cwd === undefined ? {} : { cwd: resolve(cwd) };
  if (agent !== undefined) {
    const listed = await listAgentSessions(api, { agent, ...folder, limit });
    return printOfAgent(output, agent, listed, json === true);
  }
  const found = await listSessions(api, { ...folder, limit });
  if (json === true) for (const session of found) output.json(session);
  else if (found.length === 0)
    output.note('There is no session yet. Start one: landline run "hello".');
  else for (const line of tableLines([head, ...found.map(row)])) output.line(line);
  return exitCode.done;
}

function printOfAgent(
  output: Output,
  agent: string,
  found: readonly AgentSession[],
  isJson: boolean,
): number {
  if (isJson) for (const session of found) output.json(session);
  else if (found.length === 0) output.note(`${agent} has no sessions.`);
  else {
    const rows = found.map(({ agentSessionId, sessionId, updatedAt, cwd, title }) => [
      agentSessionId,
      sessionId ?? "",
      updatedAt === null ? "" : ago(Date.parse(updatedAt), Date.now()),
      cwd,
      title ?? "",
    ]);
    const columns = ["AGENT SESSION", "SESSION HERE", "LAST", "FOLDER", "TITLE"];
    for (const line of tableLines([columns, ...rows])) output.line(line);
    output.note(`Continue one: landline continue ${agent} AGENT-SESSION`);
  }
  return exitCode.done;
}

const head = ["SESSION", "AGENT", "STATE", "LAST", "FOLDER", "TITLE"];

function row({ sessionId, agent, state, closedAt, lastAt, cwd, title }: SessionSummary): string[] {
  const shown = closedAt === null ? state : "closed";
  return [sessionId, agent, shown, ago(lastAt, Date.now()), cwd, title ?? ""];
}
