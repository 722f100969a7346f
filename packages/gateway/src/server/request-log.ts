import type { Logger } from "../telemetry/logger.ts";
import type { ServerRequest } from "./context.ts";
import type { Peer } from "./peer.ts";

/** Client text is cut, to bound the length of a log line. */
const TEXT_MAX = 300;

/** The logged fields of an HTTP request or upgrade. Never the query, because it may contain tokens. */
export interface RequestFacts {
  readonly requestId?: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly startedAt: number;
  readonly client?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The code of the error response. */
  readonly code?: string | undefined;
}

export function logRequest(logger: Logger, { startedAt, ...facts }: RequestFacts): void {
  const path = facts.path.slice(0, TEXT_MAX);
  logger.info("request", { ...facts, path, tookMs: msSince(startedAt) });
}

/** The fields of a request that the app has answered. */
export function factsOf(
  request: ServerRequest,
  requestId: string,
  startedAt: number,
): RequestFacts {
  const { method, path } = request.req;
  return {
    requestId,
    method,
    path,
    status: request.res.status,
    startedAt,
    client: request.var.principal?.clientId,
    sessionId: request.var.sessionId ?? sessionIn(path),
    code: request.var.errorCode,
  };
}

/** Logs one line for a socket command. `outcome` is "ok" or the error code. */
export function logCommand(
  { services, principal }: Pick<Peer, "services" | "principal">,
  dialect: "landline.v1" | "bridge.v1" | "acp",
  message: unknown,
  { outcome, startedAt, opened }: CommandEnd,
): void {
  const { type, id, sessionId } = isObject(message) ? message : {};
  services.logger.info("command", {
    dialect,
    type: shown(type),
    id: typeof id === "number" ? id : shown(id),
    sessionId: opened ?? shown(sessionId),
    client: principal.clientId,
    outcome,
    tookMs: msSince(startedAt),
  });
}

export interface CommandEnd {
  readonly outcome: string;
  readonly startedAt: number;
  /** The session that the command opened. */
  readonly opened?: string | null;
}

function sessionIn(path: string): string | undefined {
  return /\/api\/sessions\/([\w-]{1,128})(?:\/|$)/.exec(path)?.[1];
}

function shown(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, TEXT_MAX) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
