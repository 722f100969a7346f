import { LandlineError, operations, routeOf, type OperationName } from "@landline/protocol";
import type { Query } from "./gateway-address.ts";

export interface OperationRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly query: Query;
}

/** The HTTP request for an operation. Throws `method-not-found` for an operation without a route. */
export function requestOf(name: OperationName, input: object): OperationRequest {
  if (operations[name].http === null) throw needsSocket();
  const { method, path, query, pathFields } = routeOf(name);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const inPath = new Map<string, unknown>(given);
  const rest = Object.fromEntries(given.filter(([field]) => !pathFields.includes(field)));
  const hasBody = method === "POST" || method === "PATCH";
  const fixed: Query = Object.fromEntries(query);
  return {
    method,
    path: path
      .slice(1)
      .replaceAll(/:(\w+)/g, (_, field: string) => encodeURIComponent(String(inPath.get(field)))),
    query: hasBody ? fixed : { ...fixed, ...(rest as Query) },
    ...(hasBody && Object.keys(rest).length > 0 ? { body: rest } : {}),
  };
}

function needsSocket(): LandlineError {
  return new LandlineError("method-not-found", {
    message: "This needs a WebSocket, which can't be opened here.",
    help: "Allow WebSockets in the proxy between this page and the gateway.",
  });
}
