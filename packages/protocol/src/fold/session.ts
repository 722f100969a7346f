import type { SessionChanged, SessionClosed, SessionOpened } from "../events.ts";
import type { Draft } from "./draft.ts";
import { closeToolCalls } from "./tool-call.ts";
import { stringOf, type Raw } from "./value.ts";

export function foldSessionOpened(draft: Draft, event: SessionOpened): void {
  draft.view.session = {
    agent: event.agent,
    cwd: event.cwd,
    roots: event.roots,
    title: event.title,
    titleBy: event.title === null ? null : "person",
    firstPrompt: draft.view.session.firstPrompt,
    parent: event.parent,
    openedBy: event.by,
    openedAt: draft.at,
    closedBy: null,
  };
  if (event.agentSessionId !== undefined)
    draft.view.agent = { ...draft.view.agent, agentSessionId: event.agentSessionId };
}

/** A title of null takes the person's away, so that the agent may give one again. */
export function foldSessionChanged(draft: Draft, event: SessionChanged): void {
  const { title, cwd, roots } = event;
  const by = event.by === undefined ? "agent" : "person";
  draft.view.session = {
    ...draft.view.session,
    ...(title === undefined ? {} : { title, titleBy: title === null ? null : by }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(roots === undefined ? {} : { roots }),
  };
}

export function foldSessionClosed(draft: Draft, event: SessionClosed): void {
  closeToolCalls(draft, "unfinished");
  draft.view.session = { ...draft.view.session, closedBy: event.by };
}

/** The agent's own title: it stands until a person gives one. */
export function foldSessionInfo(draft: Draft, update: Raw): boolean {
  const title = update["title"] === null ? null : stringOf(update["title"]);
  if (update["title"] !== null && title === null) return true;
  if (draft.view.session.titleBy === "person") return true;
  draft.view.session = {
    ...draft.view.session,
    title,
    titleBy: title === null ? null : "agent",
  };
  return true;
}
