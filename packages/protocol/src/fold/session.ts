import type { SessionChanged, SessionClosed, SessionOpened } from "../events.ts";
import { endAgentWait } from "./agent.ts";
import type { Draft } from "./draft.ts";
import { textOf } from "./content.ts";
import { closeToolCalls } from "./tool-call.ts";
import { stringOf, type Raw } from "./value.ts";

export function foldSessionOpened(draft: Draft, event: SessionOpened): void {
  const title = stringOf(event.title);
  draft.view.session = {
    agent: textOf(event.agent),
    cwd: textOf(event.cwd),
    roots: event.roots.map(textOf),
    title,
    titleBy: title === null ? null : "person",
    firstPrompt: draft.view.session.firstPrompt,
    parent: stringOf(event.parent),
    openedBy: event.by,
    openedAt: draft.at,
    closedBy: null,
    closedAt: null,
  };
  draft.changes?.title(draft);
  if (event.agentSessionId !== undefined)
    draft.view.agent = { ...draft.view.agent, agentSessionId: event.agentSessionId };
}

/** A title of null takes the person's away, so that the agent may give one again. */
export function foldSessionChanged(draft: Draft, event: SessionChanged): void {
  const { cwd, roots } = event;
  const title = stringOf(event.title);
  const by = event.by === undefined ? "agent" : "person";
  draft.view.session = {
    ...draft.view.session,
    ...(event.title === undefined ? {} : { title, titleBy: title === null ? null : by }),
    ...(cwd === undefined ? {} : { cwd: textOf(cwd) }),
    ...(roots === undefined ? {} : { roots: roots.map(textOf) }),
  };
  if (event.title !== undefined) draft.changes?.title(draft);
}

export function foldSessionClosed(draft: Draft, event: SessionClosed): void {
  endAgentWait(draft);
  closeToolCalls(draft, "unfinished");
  draft.view.session = {
    ...draft.view.session,
    closedBy: event.by,
    closedAt: draft.at,
  };
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
  draft.changes?.title(draft);
  return true;
}
