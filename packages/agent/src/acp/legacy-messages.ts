import { isRecord } from "@landline/system/json";
/**
 * Converts messages of older clients to the current schema before the SDK validates them. Conforming messages
 * are not changed. Applies to input only.
 */
export function modernise(given: unknown): unknown {
  if (!isRecord(given)) return given;
  const message = withVersion(given);
  if (typeof message["method"] !== "string") return message;
  const method = message["method"];
  const plain =
    message["id"] === null && method === "session/cancel" ? withoutId(message) : message;
  const { params } = plain;
  if (!isRecord(params)) return plain;
  const modern = moderniseParams(method, params);
  return modern === params ? plain : { ...plain, params: modern };
}

/** Seed 002 omits `jsonrpc`. */
function withVersion(message: Record<string, unknown>): Record<string, unknown> {
  const isMessage = "method" in message || "result" in message || "error" in message;
  return isMessage && message["jsonrpc"] === undefined ? { jsonrpc: "2.0", ...message } : message;
}

function withoutId(message: Record<string, unknown>): Record<string, unknown> {
  const { id: _null, ...rest } = message;
  return rest;
}

function moderniseParams(method: string, params: Record<string, unknown>): Record<string, unknown> {
  switch (method) {
    case "authenticate":
      return renamed(params, "authMethodId", "methodId");
    case "session/set_mode":
      return renamed(params, "mode", "modeId");
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork":
      return { ...params, mcpServers: servers(params["mcpServers"]) };
    case "session/prompt":
      return Array.isArray(params["prompt"])
        ? { ...params, prompt: params["prompt"].map(moderniseBlock) }
        : params;
    default:
      return params;
  }
}

function renamed(
  params: Record<string, unknown>,
  from: string,
  to: string,
): Record<string, unknown> {
  if (params[from] === undefined || params[to] !== undefined) return params;
  const { [from]: value, ...rest } = params;
  return { ...rest, [to]: value };
}

function servers(value: unknown): unknown {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(moderniseServer) : value;
}

/** Seeds 000 and 003 use type `local` with the command as a list, seed 004 `remote`; all omit fields. */
function moderniseServer(server: unknown): unknown {
  if (!isRecord(server)) return server;
  const { type, command } = server;
  if (typeof server["url"] === "string") {
    const kind = type === "remote" || type === undefined ? "http" : type;
    return { ...server, type: kind, headers: pairs(server["headers"]) };
  }
  const [first, ...more] = Array.isArray(command) ? (command as unknown[]) : [command];
  if (typeof first !== "string" || (type !== undefined && type !== "local" && type !== "stdio"))
    return server;
  const { type: _type, ...rest } = server;
  const args = Array.isArray(server["args"]) ? (server["args"] as unknown[]) : [];
  return {
    ...rest,
    command: first,
    args: [...more, ...args],
    env: pairs(server["env"] ?? server["environment"]),
  };
}

function pairs(value: unknown): unknown {
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return value;
  return Object.entries(value).map(([name, each]) => ({ name, value: each }));
}

function moderniseBlock(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { type, uri } = block;
  if (type === "image" && block["data"] === undefined && typeof uri === "string") {
    return { type: "resource_link", uri, name: nameOf(uri) };
  }
  if (type === "resource_link" && block["name"] === undefined && typeof uri === "string") {
    return { ...block, name: nameOf(uri) };
  }
  return block;
}

function nameOf(uri: string): string {
  return uri.split(/[/\\]/u).findLast((part) => part !== "") ?? uri;
}
