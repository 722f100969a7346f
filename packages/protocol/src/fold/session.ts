import type { SessionClosed, SessionEvent, SessionOpened } from "../events.ts";
import { promptPreview } from "../prompt-preview.ts";
import type { SessionState } from "../view.ts";
import { endAgentWait } from "./agent.ts";
import { textOf } from "./content.ts";
import type { Draft } from "./draft.ts";
import { closeToolCalls } from "./tool-call.ts";
import { identifierOf, stringOf } from "../raw-value.ts";
import { readUpdate, type UpdateKind } from "../update-reading.ts";

/** The kind of update that sets the session's title. */
export const titleUpdate: UpdateKind = "session_info_update";

/** Returns the session state after the event: the same object if the event does not change it. */
export function sessionAfter(session: SessionState, event: SessionEvent): SessionState {
  switch (event.kind) {
    case "session-opened": {
      const title = stringOf(event.title);
      return {
        agent: textOf(event.agent),
        cwd: textOf(event.cwd),
        roots: event.roots.map(textOf),
        title,
        titleBy: title === null ? null : "person",
        firstPrompt: session.firstPrompt,
        parent: stringOf(event.parent),
        openedBy: event.by,
        openedAt: event.at,
        closedBy: null,
        closedAt: null,
      };
    }
    case "session-changed": {
      const { cwd, roots, title } = event;
      const by = event.by === undefined ? "agent" : "person";
      return {
        ...session,
        ...(title === undefined ? {} : titled(stringOf(title), by)),
        ...(cwd === undefined ? {} : { cwd: textOf(cwd) }),
        ...(roots === undefined ? {} : { roots: roots.map(textOf) }),
      };
    }
    case "session-closed":
      return { ...session, closedBy: event.by, closedAt: event.at };
    case "agent-started":
      return session.closedAt === null ? session : { ...session, closedBy: null, closedAt: null };
    case "prompt-queued":
      return session.firstPrompt === null
        ? { ...session, firstPrompt: promptPreview(event.content) }
        : session;
    case "update":
      return withAgentTitle(session, event);
    default:
      return session;
  }
}

/** Applies the agent's title unless a person has set one. */
function withAgentTitle(
  session: SessionState,
  { update, child }: Extract<SessionEvent, { kind: "update" }>,
): SessionState {
  // This runs for every update, so parse only those that can have a title.
  if (update["sessionUpdate"] !== titleUpdate || identifierOf(child) !== null) return session;
  const reading = readUpdate(update);
  if (reading.kind !== "session-info" || reading.title === undefined) return session;
  return session.titleBy === "person" ? session : { ...session, ...titled(reading.title, "agent") };
}

/** A null title removes the person's title and permits the agent to set one again. */
function titled(
  title: string | null,
  by: "person" | "agent",
): Pick<SessionState, "title" | "titleBy"> {
  return { title, titleBy: title === null ? null : by };
}

export function foldSessionOpened({ view }: Draft, { agentSessionId }: SessionOpened): void {
  if (agentSessionId !== undefined) view.agent = { ...view.agent, agentSessionId };
}

export function foldSessionClosed(draft: Draft, _event: SessionClosed): void {
  endAgentWait(draft);
  closeToolCalls(draft, "unfinished");
}
