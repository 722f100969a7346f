import { isAcpMethod, requestDefinition, responseDefinition, validateAcp } from "../schema.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { WireClient } from "./wire-client.ts";

/** All violations of the ACP schema in the agent's messages, one sentence each. */
export function violations(client: WireClient, unstable = false): string[] {
  const options = { unstable };
  const noise = client.noise.map((line) => `not JSON: ${line.slice(0, 80)}`);
  const wrong = client.messages.flatMap((message) => {
    const { id, method, params, result, error } = message;
    if (message["jsonrpc"] !== "2.0") return [`no JSON-RPC: ${shown(message)}`];
    if (typeof method === "string") {
      if (method.startsWith("_")) return [];
      if (!isAcpMethod(method, options)) return [`no such method: ${method}`];
      const definition = requestDefinition(method, options);
      return validateAcp(definition, params ?? {}, options).map((text) => `${method}: ${text}`);
    }
    if (error !== undefined) {
      return validateAcp("Error", error, options).map((text) => `error: ${text}`);
    }
    const asked = client.sent.get(id);
    if (asked === undefined || !isObject(result)) return [`answer to nothing: ${shown(message)}`];
    if (!isAcpMethod(asked, options)) return [];
    const definition = responseDefinition(asked, options);
    return validateAcp(definition, result, options).map((text) => `${asked} result: ${text}`);
  });
  return [...noise, ...wrong];
}

function shown(message: JsonObject): string {
  return JSON.stringify(message).slice(0, 120);
}
