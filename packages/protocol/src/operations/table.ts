import { sessionGoneCodes, type ErrorCode } from "../errors.ts";

/**
 * Every operation of the gateway: who may call it, what it is about, and where it is reached. WebSocket dispatch, HTTP
 * routes, role and scope checks, OpenAPI, the client and docs/api.md are made from it; `contracts` adds the schemas.
 */
export const operations = {
  health: { role: "watch", scope: "any", http: "GET /api/health" },
  "read-features": { role: "watch", scope: "any", http: "GET /api/features" },
  "read-openapi": { role: "watch", scope: "any", http: "GET /api/openapi.json" },
  "read-metrics": { role: "watch", scope: "gateway", http: "GET /metrics" },
  "read-me": { role: "watch", scope: "any", http: "GET /api/me" },

  "list-agents": {
    role: "watch",
    scope: "any",
    http: "GET /api/agents",
    parts: { signInDetails: "admin" },
  },
  "list-sign-in-methods": {
    role: "control",
    scope: "gateway",
    http: "POST /api/agents/:agent/sign-in/methods",
  },
  "sign-in": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/agents/:agent/sign-in",
    socket: true,
  },
  "answer-sign-in": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/agents/:agent/sign-in/answer",
    socket: true,
  },
  "cancel-sign-in": {
    role: "admin",
    scope: "gateway",
    http: "DELETE /api/agents/:agent/sign-in",
    socket: true,
    changes: "agents",
  },
  "sign-out": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/agents/:agent/sign-out",
    socket: true,
    changes: "agents",
  },
  "list-agent-sessions": {
    role: "control",
    scope: "gateway",
    http: "GET /api/agents/:agent/sessions",
  },
  "forget-choices": {
    role: "control",
    scope: "gateway",
    http: "DELETE /api/agents/:agent/choices",
    changes: "agents",
  },

  "read-terminal": { role: "admin", scope: "gateway", http: "GET /api/terminals/:terminalId" },
  "terminal-attach": { role: "admin", scope: "gateway", http: null, socket: true },
  "terminal-detach": { role: "admin", scope: "gateway", http: null, socket: true },
  "terminal-input": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/terminals/:terminalId/input",
    socket: true,
  },
  "terminal-resize": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/terminals/:terminalId/size",
    socket: true,
  },

  "list-sessions": { role: "watch", scope: "sessions", http: "GET /api/sessions" },
  open: { role: "control", scope: "gateway", http: "POST /api/sessions", socket: true },
  attach: { role: "watch", scope: "session", http: null, socket: true },
  detach: { role: "watch", scope: "session", http: null, socket: true },
  "read-session": { role: "watch", scope: "session", http: "GET /api/sessions/:sessionId" },
  rename: {
    role: "control",
    scope: "session",
    http: "PATCH /api/sessions/:sessionId",
    socket: true,
    repeat: [],
  },
  close: {
    role: "control",
    scope: "session",
    http: "DELETE /api/sessions/:sessionId",
    socket: true,
  },
  delete: {
    role: "control",
    scope: "gateway",
    http: "DELETE /api/sessions/:sessionId?erase=true",
    socket: true,
    repeat: sessionGoneCodes,
  },
  fork: {
    role: "control",
    scope: "gateway",
    http: "POST /api/sessions/:sessionId/fork",
    socket: true,
  },
  "read-events": { role: "watch", scope: "session", http: "GET /api/sessions/:sessionId/events" },
  "set-mode": {
    role: "control",
    scope: "session",
    http: "POST /api/sessions/:sessionId/mode",
    socket: true,
    repeat: [],
  },
  "set-config": {
    role: "control",
    scope: "session",
    http: "POST /api/sessions/:sessionId/config",
    socket: true,
    repeat: [],
  },
  export: { role: "watch", scope: "session", http: "GET /api/sessions/:sessionId/export" },
  "read-trace": { role: "control", scope: "session", http: "GET /api/sessions/:sessionId/trace" },

  prompt: {
    role: "control",
    scope: "session",
    http: "POST /api/sessions/:sessionId/prompts",
    socket: true,
  },
  "change-prompt": {
    role: "control",
    scope: "session",
    http: "PATCH /api/sessions/:sessionId/prompts/:promptId",
    socket: true,
    repeat: [],
  },
  "withdraw-prompt": {
    role: "control",
    scope: "session",
    http: "DELETE /api/sessions/:sessionId/prompts/:promptId",
    socket: true,
    repeat: ["prompt-not-found"],
  },
  cancel: {
    role: "control",
    scope: "session",
    http: "POST /api/sessions/:sessionId/cancel",
    socket: true,
  },
  answer: {
    role: "control",
    scope: "session",
    http: "POST /api/sessions/:sessionId/asks/:askId",
    socket: true,
    repeat: ["ask-already-settled"],
  },
  "suggest-rules": {
    role: "watch",
    scope: "session",
    http: "GET /api/sessions/:sessionId/asks/:askId/rules",
  },

  search: { role: "watch", scope: "sessions", http: "GET /api/search" },
  audit: { role: "watch", scope: "sessions", http: "GET /api/audit", parts: { tokens: "admin" } },
  "read-blob": { role: "watch", scope: "session", http: "GET /api/blobs/:hash" },
  "find-files": {
    role: "watch",
    scope: "sessions",
    http: "GET /api/files",
    parts: { folder: "control" },
  },
  "list-folders": { role: "control", scope: "gateway", http: "GET /api/folders" },

  "list-rules": { role: "watch", scope: "gateway", http: "GET /api/rules" },
  "add-rule": {
    role: "control",
    scope: "gateway",
    http: "POST /api/rules",
    parts: { everywhere: "admin" },
  },
  "preview-rule": { role: "control", scope: "gateway", http: "POST /api/rules?preview=true" },
  "remove-rule": {
    role: "control",
    scope: "gateway",
    http: "DELETE /api/rules/:id",
    parts: { everywhere: "admin" },
  },
  "acknowledge-rules-damage": {
    role: "admin",
    scope: "gateway",
    http: "POST /api/rules/damage/acknowledge",
    changes: "me",
  },

  "list-devices": { role: "admin", scope: "gateway", http: "GET /api/devices" },
  "add-device": { role: "admin", scope: "gateway", http: "POST /api/devices" },
  "remove-device": {
    role: "control",
    scope: "any",
    http: "DELETE /api/devices/:id",
    parts: { otherDevice: "admin" },
  },
  "add-link": { role: "admin", scope: "gateway", http: "POST /api/links" },
  "add-ticket": { role: "watch", scope: "any", http: "POST /api/tickets" },
  "register-key": { role: "watch", scope: "any", http: "POST /access/keys", cookie: true },
  "request-challenge": { role: "anyone", scope: "any", http: "POST /access/challenge" },
  "request-token": { role: "anyone", scope: "any", http: "POST /access/token" },
} as const satisfies Readonly<Record<string, Operation>>;

export interface Operation {
  /** The least role of a token that may call it; `anyone` needs no token. */
  readonly role: Role | "anyone";
  readonly scope: Scope;
  /**
   * Method and path, with the fields of the input that it contains. A fixed query distinguishes two operations of one address.
   * Null: over WebSocket only.
   */
  readonly http: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}` | null;
  /** Also a command of `landline.v1`. */
  readonly socket?: true;
  /** Parts of it that need a higher role; docs/api.md explains them. */
  readonly parts?: Readonly<Record<string, Role>>;
  /**
   * A client may send the command again after a lost connection. Then an error with one of these codes means that the
   * first one was executed. Empty: a second one has the same effect as the first.
   */
  readonly repeat?: readonly ErrorCode[];
  /** What it changes of what the gateway pushes over WebSocket only; other clients request it again. */
  readonly changes?: "agents" | "me";
  /** Also accepts the cookie in which earlier versions kept the token. */
  readonly cookie?: true;
}

/**
 * What a token may do. `watch` sees; `control` also works with agents: sessions, prompts, answers, rules of a session or
 * a project; `admin` also decides who has access, what holds everywhere, and to what agents are signed in.
 */
export const roles = ["watch", "control", "admin"] as const;

export type Role = (typeof roles)[number];

/**
 * What it is about, and so what a token that is limited to one session gets. `session`: the session that its input names;
 * refused for others. `sessions`: all of them, or one; narrowed to its own. `gateway`: refused. `any`: allowed.
 */
export type Scope = "session" | "sessions" | "gateway" | "any";

export type OperationName = keyof typeof operations;

type NamesWith<Row> = {
  [Name in OperationName]: (typeof operations)[Name] extends Row ? Name : never;
}[OperationName];

/** Those that are commands of `landline.v1`. */
export type CommandName = NamesWith<{ readonly socket: true }>;
export type HttpOperationName = NamesWith<{ readonly http: string }>;

export const operationNames = Object.keys(operations) as readonly OperationName[];

export function rowOf(name: OperationName): Operation {
  return operations[name];
}

export interface Route {
  readonly method: string;
  /** With `:field` in place of each field of the input. */
  readonly path: string;
  /** Query parameters that select this operation. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly pathFields: readonly string[];
}

/** Throws for an operation that is not available over HTTP. */
export function routeOf(name: OperationName): Route {
  const { http } = rowOf(name);
  if (http === null) throw new Error(`${name} is available over WebSocket only.`);
  const [method = "", address = ""] = http.split(" ");
  const [path = "", query = ""] = address.split("?");
  const fixed = query === "" ? [] : query.split("&").map((part) => part.split("="));
  return {
    method,
    path,
    query: fixed.map(([key = "", value = ""]) => [key, value] as const),
    pathFields: [...path.matchAll(/:(\w+)/g)].map(([, field = ""]) => field),
  };
}

/** The field of its input that names the session which it is about; null where it is about none. */
export function sessionFieldOf(name: OperationName): "sessionId" | "session" | null {
  const { scope, http } = rowOf(name);
  if (scope !== "session" && scope !== "sessions") return null;
  return http === null || http.includes(":sessionId") ? "sessionId" : "session";
}
