import { LandlineError } from "../../errors.ts";
import type { Hits } from "./hits.ts";
import { isList, isRecord, mapSame, type RawRecord } from "../../record.ts";

/**
 * Normalises the servers of session/new, load, resume and fork. Seeds 000 and 003 use `type: "local"` with the
 * command as a list, seed 004 `type: "remote"`; all omit empty lists.
 */
export function normaliseMcpServers(
  params: RawRecord,
  presence: "required" | "optional",
  hits?: Hits,
): RawRecord {
  const { mcpServers } = params;
  if (mcpServers === null || (mcpServers === undefined && presence === "required")) {
    hits?.count("mcp-servers-missing");
    return { ...params, mcpServers: [] };
  }
  if (!isList(mcpServers)) return params;
  const servers = mapSame(mcpServers, (server) => normaliseServer(server, hits));
  return servers === mcpServers ? params : { ...params, mcpServers: servers };
}

function normaliseServer(server: unknown, hits?: Hits): unknown {
  if (!isRecord(server)) return server;
  switch (server["type"]) {
    case "http":
    case "sse":
      return withList(server, "headers", hits);
    case "remote":
      hits?.count("mcp-server-type");
      return withList({ ...server, type: "http" }, "headers", hits);
    case "local":
      hits?.count("mcp-server-type");
      return stdioServer(withoutType(server), hits);
    case "acp":
      return server;
    case undefined:
    case "stdio":
      return stdioServer(server, hits);
    default:
      // With a command it is a stdio server with an extra field.
      if (typeof server["command"] === "string") return stdioServer(server, hits);
      throw new LandlineError("invalid-params", {
        message: "An MCP server in mcpServers has an unknown type.",
        help: 'Use a command with args and env, or the type "http" or "sse" with a url and headers.',
      });
  }
}

function withoutType({ type: _type, ...rest }: RawRecord): RawRecord {
  return rest;
}

function stdioServer(server: RawRecord, hits?: Hits): RawRecord {
  const withProgram = withCommand(server, hits);
  if (typeof withProgram["command"] !== "string") return server;
  return withList(withArguments(withProgram, hits), "env", hits);
}

function withCommand(server: RawRecord, hits?: Hits): RawRecord {
  const { command, args } = server;
  if (!isList(command)) return server;
  hits?.count("mcp-server-command");
  const [first, ...others] = command;
  if (typeof first !== "string") {
    throw new LandlineError("invalid-params", {
      message: "An MCP server in mcpServers has a command list that does not begin with a program.",
      help: "Give the program in command, and its arguments in args.",
    });
  }
  return { ...server, command: first, args: isList(args) ? [...others, ...args] : others };
}

function withArguments(server: RawRecord, hits?: Hits): RawRecord {
  if (!isMissing(server["args"])) return server;
  hits?.count("mcp-server-list");
  return { ...server, args: [] };
}

/** `env` and `headers` are lists of pairs. Some peers send an object or omit them. */
function withList(server: RawRecord, field: "env" | "headers", hits?: Hits): RawRecord {
  const value = server[field];
  const pairs = isMissing(value) ? [] : isRecord(value) ? pairsOf(value) : undefined;
  if (pairs === undefined) return server;
  hits?.count("mcp-server-list");
  return { ...server, [field]: pairs };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function pairsOf(values: RawRecord): readonly RawRecord[] | undefined {
  const pairs = Object.entries(values).map(([name, value]) => ({ name, value }));
  return pairs.every(({ value }) => typeof value === "string") ? pairs : undefined;
}
