import { LandlineError } from "@landline/protocol";
import type { Command } from "@landline/protocol/commands";

/**
 * What a token may do. `watch` sees; `control` also works with agents: sessions, prompts, answers, rules of a session or
 * a project; `admin` also decides who comes in, what holds everywhere, and to what agents are signed in.
 */
export const roles = ["watch", "control", "admin"] as const;

export type Role = (typeof roles)[number];

/** The least role for each address; `anyone` needs no token. One that is not named here is closed to everybody. */
export const routeRoles: Readonly<Record<string, Role | "anyone">> = {
  /** Wants a token itself, or the cookie of an earlier version. */
  "POST /access/keys": "anyone",
  "POST /access/challenge": "anyone",
  "POST /access/token": "anyone",
  "POST /api/tickets": "watch",
  "GET /api/health": "watch",
  "GET /api/openapi.json": "watch",
  "GET /api/me": "watch",
  "GET /metrics": "watch",
  "GET /api/agents": "watch",
  "POST /api/agents/:id/sign-in/methods": "control",
  "POST /api/agents/:id/sign-in": "admin",
  "DELETE /api/agents/:id/sign-in": "admin",
  "POST /api/agents/:id/sign-in/answer": "admin",
  "POST /api/agents/:id/sign-out": "admin",
  "DELETE /api/agents/:id/choices": "control",
  "GET /api/terminals/:id": "admin",
  "POST /api/terminals/:id/input": "admin",
  "POST /api/terminals/:id/size": "admin",
  "GET /api/sessions": "watch",
  "POST /api/sessions": "control",
  "GET /api/sessions/:id": "watch",
  "PATCH /api/sessions/:id": "control",
  "DELETE /api/sessions/:id": "control",
  "POST /api/sessions/:id/fork": "control",
  "GET /api/sessions/:id/events": "watch",
  "POST /api/sessions/:id/prompts": "control",
  "PATCH /api/sessions/:id/prompts/:promptId": "control",
  "DELETE /api/sessions/:id/prompts/:promptId": "control",
  "POST /api/sessions/:id/cancel": "control",
  "POST /api/sessions/:id/asks/:askId": "control",
  "GET /api/sessions/:id/asks/:askId/rules": "watch",
  "POST /api/sessions/:id/mode": "control",
  "POST /api/sessions/:id/config": "control",
  "GET /api/sessions/:id/export": "watch",
  "GET /api/sessions/:id/trace": "control",
  "GET /api/blobs/:hash": "watch",
  "GET /api/search": "watch",
  "GET /api/audit": "watch",
  "GET /api/rules": "watch",
  "POST /api/rules": "control",
  "DELETE /api/rules/:id": "control",
  "DELETE /api/rules": "control",
  "POST /api/rules/damage/acknowledge": "admin",
  "GET /api/files": "watch",
  "GET /api/folders": "control",
  "GET /api/devices": "admin",
  "POST /api/devices": "admin",
  "DELETE /api/devices/:id": "control",
  "POST /api/links": "admin",
};

/** The least role for what an address or a list does only for some. */
export const partRoles = {
  /** Names of files in a folder that is no session's. */
  anyFolder: "control",
  everywhereRule: "admin",
  deviceOfAnother: "admin",
  /** Tokens that were made and revoked, in the audit. */
  accessAudit: "admin",
  /** How a sign-in goes, and which keys an agent has. */
  signInDetails: "admin",
} as const satisfies Readonly<Record<string, Role>>;

/** The least role for each command of a socket, whichever vocabulary it comes in. */
export const commandRoles: Readonly<Record<Command["type"], Role>> = {
  attach: "watch",
  detach: "watch",
  open: "control",
  prompt: "control",
  "change-prompt": "control",
  "withdraw-prompt": "control",
  "move-prompt": "control",
  cancel: "control",
  answer: "control",
  "set-mode": "control",
  "set-config": "control",
  rename: "control",
  fork: "control",
  close: "control",
  delete: "control",
  "sign-in": "admin",
  "answer-sign-in": "admin",
  "cancel-sign-in": "admin",
  "sign-out": "admin",
  "terminal-attach": "admin",
  "terminal-detach": "admin",
  "terminal-input": "admin",
  "terminal-resize": "admin",
};

export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** Throws `forbidden`. */
export function requireRole({ role }: { readonly role: Role }, least: Role): void {
  if (hasRole(role, least)) return;
  throw new LandlineError("forbidden", {
    message: refusals[role],
    help: `Come with a token that has the role ${least}: \`landline token new NAME --role ${least}\`.`,
    data: { role, needed: least },
  });
}

const refusals: Readonly<Record<Role, string>> = {
  watch: "This token may watch, and not act.",
  control: "This token may work with agents, and not administer the gateway.",
  admin: "Nobody may do that.",
};

/** Of a command that is read from a socket; what is not in the table is closed to everybody. */
export function requireRoleForCommand(principal: { readonly role: Role }, type: string): void {
  const least = (commandRoles as Readonly<Record<string, Role | undefined>>)[type];
  if (least === undefined) throw new LandlineError("forbidden");
  requireRole(principal, least);
}
