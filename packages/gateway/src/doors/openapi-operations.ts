import type { BodyName } from "@landline/protocol/commands";

/** One address and what may be done there: what the OpenAPI document is made from. */
export interface Operation {
  readonly method: "get" | "post" | "patch" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly query?: readonly QueryField[];
  readonly body?: BodyName | "rule";
  readonly status: 200 | 201 | 202 | 204;
  readonly answers?: readonly string[];
}

interface QueryField {
  readonly name: string;
  readonly about: string;
  readonly type?: "string" | "integer" | "boolean";
  readonly required?: true;
}

const json = ["application/json"] as const;
const session = "/api/sessions/{id}";
const limit: QueryField = { name: "limit", about: "At most this many.", type: "integer" };
const ofSession: QueryField = { name: "session", about: "The id of a session." };

export const operations: readonly Operation[] = [
  {
    method: "get",
    path: "/api/health",
    summary: "Whether the gateway is well",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/openapi.json",
    summary: "This document",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/agents",
    summary: "The agents that can be talked to",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/agents/{id}/sign-in/methods",
    summary: "Ask an agent how one can sign in to it; it is started unless it has said so before",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/agents/{id}/sign-in",
    summary: "Sign in to an agent with one of its methods; answered when that has ended",
    body: "sign-in",
    status: 200,
    answers: json,
  },
  {
    method: "delete",
    path: "/api/agents/{id}/sign-in",
    summary: "Cancel the sign-in that is under way; answered when nothing of it is left",
    status: 204,
  },
  {
    method: "delete",
    path: "/api/agents/{id}/choices",
    summary: "Forget what was chosen last with an agent (its `lastChoices`)",
    status: 204,
  },
  {
    method: "post",
    path: "/api/agents/{id}/sign-in/answer",
    summary: "Answer what the agent asks while it signs in (`progress.question` of the agent)",
    body: "answer-sign-in",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/agents/{id}/sign-out",
    summary: "Sign out of an agent that offers it (`canSignOut`); answered when that has ended",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/terminals/{id}",
    summary: "What the terminal of a sign-in shows (`progress.terminalId` of the agent)",
    query: [
      {
        name: "after",
        about: "`next` of the answer before; without it, the whole screen.",
        type: "integer",
      },
      { name: "wait", about: "Wait so many milliseconds for output.", type: "integer" },
    ],
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/terminals/{id}/input",
    summary: "Type into the terminal of a sign-in",
    body: "terminal-input",
    status: 204,
  },
  {
    method: "post",
    path: "/api/terminals/{id}/size",
    summary: "Say how large the terminal of a sign-in is shown",
    body: "terminal-resize",
    status: 204,
  },
  {
    method: "get",
    path: "/api/sessions",
    summary: "Sessions, the one with the latest event first",
    query: [
      { name: "cwd", about: "Only those in this folder." },
      { name: "parent", about: "Only those that were forked from or belong to this one." },
      { name: "cursor", about: "nextCursor of the page before." },
      limit,
    ],
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/sessions",
    summary: "Open a session",
    body: "open",
    status: 201,
    answers: json,
  },
  { method: "get", path: session, summary: "A session and its view", status: 200, answers: json },
  {
    method: "patch",
    path: session,
    summary: "Give it a title",
    body: "rename",
    status: 200,
    answers: json,
  },
  {
    method: "delete",
    path: session,
    summary: "Close it: the agent ends and the log stays",
    query: [{ name: "erase", about: "Erase everything that is kept of it too.", type: "boolean" }],
    status: 204,
  },
  {
    method: "get",
    path: `${session}/events`,
    summary: "Its events: a stream, or a page for Accept: application/json",
    query: [
      {
        name: "after",
        about: "Those after this number; Last-Event-ID counts first.",
        type: "integer",
      },
      { name: "before", about: "Pages only: the last ones before this number.", type: "integer" },
      { name: "limit", about: "Pages only: at most this many.", type: "integer" },
      { name: "wait", about: "Pages only: milliseconds to wait for one.", type: "integer" },
      { name: "dialect", about: "Streams only: landline (unless told) or codeopen." },
    ],
    status: 200,
    answers: ["text/event-stream", "application/json"],
  },
  {
    method: "post",
    path: `${session}/prompts`,
    summary: "Queue a prompt",
    body: "prompt",
    status: 202,
    answers: json,
  },
  {
    method: "patch",
    path: `${session}/prompts/{promptId}`,
    summary: "Change a prompt that waits, or let it stand before another (null: at the end)",
    body: "change-prompt",
    status: 200,
    answers: json,
  },
  {
    method: "delete",
    path: `${session}/prompts/{promptId}`,
    summary: "Withdraw a prompt that waits",
    status: 204,
  },
  {
    method: "post",
    path: `${session}/cancel`,
    summary: "Cancel the turn, one rung more each time",
    status: 202,
    answers: json,
  },
  {
    method: "post",
    path: `${session}/asks/{askId}`,
    summary: "Answer a permission or a question",
    body: "answer",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: `${session}/asks/{askId}/rules`,
    summary: "Rules that would have allowed an open permission, or why there are none",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: `${session}/mode`,
    summary: "Set the mode",
    body: "set-mode",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: `${session}/config`,
    summary: "Set an option",
    body: "set-config",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: `${session}/fork`,
    summary: "A new session with this one's history",
    status: 201,
    answers: json,
  },
  {
    method: "get",
    path: `${session}/export`,
    summary: "The session to take away",
    query: [{ name: "format", about: "json, markdown or html; else by Accept." }],
    status: 200,
    answers: ["application/json", "text/markdown", "text/html"],
  },
  {
    method: "get",
    path: "/api/search",
    summary: "Find words in all sessions, newest first",
    query: [{ name: "q", about: "What to look for.", required: true }, ofSession, limit],
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/rules",
    summary:
      "The rules, in words and with what to know about each, and the damage of their file that nobody has acknowledged",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/rules/damage/acknowledge",
    summary: "A person has looked at the rules after their file was damaged: let rules allow again",
    status: 204,
  },
  {
    method: "post",
    path: "/api/rules",
    summary: "Add a rule",
    query: [
      {
        name: "preview",
        about: "Only say it in words, with what to know about it.",
        type: "boolean",
      },
    ],
    body: "rule",
    status: 201,
    answers: json,
  },
  {
    method: "delete",
    path: "/api/rules/{id}",
    summary: "Remove a rule",
    status: 204,
  },
  {
    method: "get",
    path: "/api/audit",
    summary: "What was done for and by agents, oldest first; lines for Accept: application/jsonl",
    query: [ofSession, { name: "after", about: "nextCursor of the page before." }, limit],
    status: 200,
    answers: ["application/json", "application/jsonl"],
  },
  {
    method: "get",
    path: "/api/files",
    summary: "Names in a session's folders, or in a folder where one is to begin",
    query: [
      ofSession,
      { name: "folder", about: "Absolute, instead of a session; for those who may control." },
      { name: "q", about: "Letters of the name, in their order." },
      limit,
    ],
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/blobs/{hash}",
    summary: "A long text that stands as $blob in an event",
    query: [{ ...ofSession, required: true }],
    status: 200,
    answers: ["text/plain"],
  },
  {
    method: "get",
    path: "/api/me",
    summary: "Who asks, who else may come in, and where the gateway is",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/folders",
    summary: "The folders in a folder of this machine",
    query: [{ name: "path", about: "Absolute; the home folder when there is none." }],
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/api/devices",
    summary: "The tokens with which people and programs come in",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/devices",
    summary: "Make a token, which is told here and never again",
    body: "add-device",
    status: 201,
    answers: json,
  },
  {
    method: "post",
    path: "/api/links",
    summary: "The link that the gateway prints where it runs, with its token",
    status: 201,
    answers: json,
  },
  {
    method: "delete",
    path: "/api/devices/{id}",
    summary: "Revoke a token; what is connected with it is cut off",
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: `${session}/trace`,
    summary: "The wire of its agent, newest page first; `lines` is null where it is not kept",
    query: [{ name: "before", about: "The last ones before this number.", type: "integer" }, limit],
    status: 200,
    answers: json,
  },
  {
    method: "get",
    path: "/metrics",
    summary: "Numbers for Prometheus",
    status: 200,
    answers: ["text/plain"],
  },
];
