import type { UnknownEvent } from "./decode.ts";
import { isEventKind } from "./decode/fields.ts";
import type { SessionEvent } from "./events.ts";
import {
  foldAgentExited,
  foldAgentNoise,
  foldAgentStarted,
  foldAgentWaiting,
} from "./fold/agent.ts";
import { foldAskExplained, foldAskOpened, foldAskSettled } from "./fold/ask.ts";
import { ChangeRecorder, type Change } from "./fold/change.ts";
import { Draft } from "./fold/draft.ts";
import { foldRestart } from "./fold/execution.ts";
import { foldFile } from "./fold/file.ts";
import { buildLookup, type Lookup, type Where } from "./fold/lookup.ts";
import { foldError } from "./fold/notice.ts";
import { foldOptionsChanged } from "./fold/options.ts";
import { foldPromptQueued, foldQueue } from "./fold/queue.ts";
import { foldSessionClosed, foldSessionOpened } from "./fold/session.ts";
import { threadOfChild } from "./fold/subagent.ts";
import { foldTerminalExited, foldTerminalOpened, foldTerminalOutput } from "./fold/terminal.ts";
import { foldTurnEnded, foldTurnStarted } from "./fold/turn.ts";
import { foldUnknown } from "./fold/unknown.ts";
import { foldUpdate } from "./fold/update.ts";
import { identifierOf } from "./raw-value.ts";
import { foldSummaryParts } from "./summary.ts";
import type { SessionView } from "./view.ts";

/** A fold moves the lookup from its input view to its result. */
const lookups = new WeakMap<SessionView, Lookup>();

/**
 * Applies events to a view and returns the new view; the given view does not change. `fold` never throws and keeps
 * unknown events. It skips events that the view already contains and does not check for missing sequence numbers.
 * Each part is copied at most once per call, so pass events in batches.
 */
export function fold(
  view: SessionView,
  events: readonly (SessionEvent | UnknownEvent)[],
): SessionView {
  return foldInto(view, events, null);
}

/** Like `fold`, and also returns the changes. */
export function foldWithChanges(
  view: SessionView,
  events: readonly (SessionEvent | UnknownEvent)[],
): { readonly view: SessionView; readonly changes: readonly Change[] } {
  const recorder = new ChangeRecorder();
  return { view: foldInto(view, events, recorder), changes: recorder.changes };
}

function foldInto(
  view: SessionView,
  events: readonly (SessionEvent | UnknownEvent)[],
  changes: ChangeRecorder | null,
): SessionView {
  if (events.every((event) => event.seq <= view.head)) return view;
  const draft = new Draft(view, lookups.get(view) ?? buildLookup(view), changes);
  lookups.delete(view);
  for (const event of events) {
    if (event.seq <= draft.view.head) continue;
    draft.seq = event.seq;
    draft.at = event.at;
    foldEvent(draft, event);
    const { title } = draft.view.session;
    foldSummaryParts(draft.view, event as SessionEvent);
    if (draft.view.session.title !== title) changes?.title(draft);
    changes?.endEvent(draft);
  }
  changes?.end(draft);
  return finish(draft);
}

function finish(draft: Draft): SessionView {
  const { view, mergedSubagents, lookup } = draft;
  if (mergedSubagents.size === 0) lookups.set(view, lookup);
  else view.subagents = view.subagents.filter((_, position) => !mergedSubagents.has(position));
  return view;
}

function foldEvent(draft: Draft, event: SessionEvent | UnknownEvent): void {
  if (isKnown(event)) return foldKnown(draft, event);
  foldUnknown(draft, "root", { of: "event", name: event.kind, value: event });
}

function isKnown(event: SessionEvent | UnknownEvent): event is SessionEvent {
  return isEventKind(event.kind);
}

function foldKnown(draft: Draft, event: SessionEvent): void {
  switch (event.kind) {
    case "session-opened":
      return foldSessionOpened(draft, event);
    case "session-changed":
    case "turn-changed":
      return;
    case "session-closed":
      return foldSessionClosed(draft, event);
    case "agent-waiting":
      return foldAgentWaiting(draft, event);
    case "agent-started":
      return foldAgentStarted(draft, event);
    case "agent-exited":
      return foldAgentExited(draft, event);
    case "agent-noise":
      return foldAgentNoise(draft, event);
    case "options-changed":
      return foldOptionsChanged(draft, event);
    case "prompt-queued":
      return foldPromptQueued(draft, event);
    case "prompt-changed":
    case "prompt-withdrawn":
    case "prompt-moved":
      return void foldQueue(draft, event);
    case "turn-started":
      return foldTurnStarted(draft, event);
    case "turn-ended":
      return foldTurnEnded(draft, event);
    case "update":
      return foldUpdate(draft, threadOf(draft, event.child), event.update);
    case "ask-opened":
      return foldAskOpened(draft, threadOf(draft, event.child), event);
    case "ask-explained":
      return foldAskExplained(draft, event);
    case "ask-settled":
      return foldAskSettled(draft, event);
    case "file-read":
      return foldFile(draft, event.path, "reads");
    case "file-written":
      return foldFile(draft, event.path, "writes");
    case "terminal-opened":
      return foldTerminalOpened(draft, event);
    case "terminal-restarted":
      return foldRestart(draft, event);
    case "terminal-output":
      return foldTerminalOutput(draft, event.terminalId, event.text);
    case "terminal-exited":
      return foldTerminalExited(draft, event);
    case "error":
      return foldError(draft, event);
  }
}

function threadOf(draft: Draft, child: string | undefined): Where {
  const sessionId = identifierOf(child);
  return sessionId === null ? "root" : threadOfChild(draft, sessionId);
}
