import {
  LandlineError,
  operationNames,
  operations,
  routeOf,
  rowOf,
  type HttpOperationName,
  type OperationName,
  type Route,
} from "@landline/protocol";
import { loadOnce } from "@landline/system/load-once";
import type { ZodType } from "zod";
import type { ServerApp, ServerContext, ServerRequest } from "../context.ts";
import { requireRole } from "../roles.ts";
import { withinScope } from "../scope.ts";
import { jsonBody } from "./body.ts";
import { runOperation } from "./implementations.ts";
import { checkedId, type HttpCall, wrongField } from "./operation.ts";

/** Larger than every input of operations that need no token or only the role `watch`. */
const SMALL_BODY_BYTES = 8_192;

/** The schemas are loaded with the first request. */
const schemas = loadOnce(() => import("@landline/protocol/operations"));

interface RoutedOperation extends Route {
  readonly name: HttpOperationName;
}

/** Adds the route of every operation in the table. */
export function addOperationRoutes(app: ServerApp, context: ServerContext): void {
  const routed = operationNames.filter(isHttp).map(routedOperation);
  const addresses = Map.groupBy(routed, ({ method, path }) => `${method} ${path}`);
  for (const sharing of addresses.values()) {
    const [{ method, path } = never()] = sharing;
    app.on(method, path, (request) => answer(operationOf(request, sharing), request, context));
  }
}

function routedOperation(name: HttpOperationName): RoutedOperation {
  return { name, ...routeOf(name) };
}

function isHttp(name: OperationName): name is HttpOperationName {
  return operations[name].http !== null;
}

/** Among operations with the same address: the one whose fixed query was sent, otherwise the one without. */
function operationOf(request: ServerRequest, sharing: readonly RoutedOperation[]): RoutedOperation {
  const isMeant = ({ query }: Route) =>
    query.every(([name, value]) => request.req.query(name) === value);
  const meant = sharing.filter(isMeant).toSorted((a, b) => b.query.length - a.query.length);
  return meant[0] ?? never();
}

async function answer(
  operation: RoutedOperation,
  request: ServerRequest,
  context: ServerContext,
): Promise<Response> {
  const { name } = operation;
  const { services } = context;
  const { principal } = request.var;
  const { role } = rowOf(name);
  if (role !== "anyone") {
    requireRole(principal, role);
    // Check the scope of the path before the body is read.
    withinScope(principal, name, request.req.param());
  }
  const { contracts, readInput } = await schemas();
  const sent = await inputOf(operation, contracts[name].input.shape, request, context);
  if (operation.method !== "GET") services.metrics.commands.add(name);
  const call: HttpCall = {
    principal,
    services,
    request,
    context,
    findSession: (id) => services.sessions.get(checkedId(id)),
  };
  const read = readInput(name, sent);
  const input = role === "anyone" ? read : withinScope(principal, name, read);
  const output: unknown = await runOperation(name, input, call);
  if (output instanceof Response) return output;
  const contract: { readonly output: unknown; readonly status?: 201 | 202 } = contracts[name];
  if (contract.output === null) return request.body(null, 204);
  const body = output as object;
  if (contract.status !== 201 || !("sessionId" in body))
    return request.json(body, contract.status ?? 200);
  const sessionId = String(body.sessionId);
  request.set("sessionId", sessionId);
  const location = `${services.address.basePath}/api/sessions/${sessionId}`;
  return request.json(body, 201, { location });
}

/** Each field must be in exactly one place: path, query or body. */
async function inputOf(
  { name: operation, method, query: fixed, pathFields }: RoutedOperation,
  shape: Readonly<Record<string, ZodType>>,
  request: ServerRequest,
  { services: { limits } }: ServerContext,
): Promise<object> {
  const inAddress: Record<string, unknown> = { ...request.req.param() };
  const fixedNames = new Set(fixed.map(([name]) => name));
  for (const [name, value] of Object.entries(request.req.query())) {
    // Authentication already used the ticket. An empty known field of a form counts as absent.
    if (fixedNames.has(name) || (name === "ticket" && method === "GET")) continue;
    if (value === "" && Object.hasOwn(shape, name)) continue;
    if (pathFields.includes(name)) throw wrongField(name, "is already given in the path");
    Object.defineProperty(inAddress, name, { value, enumerable: true });
  }
  if (method === "GET" || method === "DELETE") return inAddress;
  const { role } = rowOf(operation);
  const isSmall = role === "anyone" || role === "watch";
  const bodyBytes = isSmall ? Math.min(SMALL_BODY_BYTES, limits.bodyBytes) : limits.bodyBytes;
  const inBody = Object.entries(shape).filter(([field]) => !pathFields.includes(field));
  // A change of nothing is a mistake.
  const isBodyNeeded = inBody.some(
    ([
      field,
      {
        _zod: { optin },
      },
    ]) => (method === "PATCH" ? field !== "_meta" : optin !== "optional"),
  );
  const body = await jsonBody(request, { ...limits, bodyBytes }, isBodyNeeded);
  const twice = Object.keys(inAddress).find((name) => Object.hasOwn(body, name));
  if (twice !== undefined) throw wrongField(twice, "is already given in the URL");
  return { ...body, ...inAddress };
}

function never(): never {
  throw new LandlineError("internal-error");
}
