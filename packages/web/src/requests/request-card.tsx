import type { AskOutcome } from "@landline/client";
import type { AskItem, OpenAsk, ToolCallItem } from "@landline/protocol";
import { clsx } from "clsx";
import { Bot, ChevronRight, CircleHelp, ShieldQuestion } from "lucide-react";
import { useId, useState } from "react";
import { useView } from "../state/session.tsx";
import { Chip } from "../ui/chip.tsx";
import type { AnswerGuard } from "./answer-guard.ts";
import { RequestBody } from "./request-body.tsx";
import { useAnswerDraft } from "./answer-draft.ts";
import { requestItemOf, subagentOf, toolCallOf } from "./request-lookup.ts";
import { messageOf } from "./outcome-text.ts";
import { OfflineNote } from "./offline-note.tsx";
import { isAboutCreatedPlaces, isSandboxRequest } from "./sandbox-request.ts";

export interface RequestCardProps {
  readonly ask: OpenAsk;
  /** Null if it is the only one. */
  readonly place: { readonly number: number; readonly of: number } | null;
  readonly isExpanded: boolean;
  /** Too many are open to show all. */
  readonly isHidden: boolean;
  readonly isBusy: boolean;
  /** The connection is lost, so nothing can be answered. */
  readonly isCutOff: boolean;
  readonly isWatching: boolean;
  readonly guard: AnswerGuard;
  readonly onExpand: () => void;
  readonly onAnswer: (outcome: AskOutcome, note?: string) => void;
}

export function RequestCard(props: RequestCardProps) {
  const { ask, place, isExpanded, isHidden, isBusy, isWatching, onExpand, onAnswer } = props;
  const isHeld = props.isCutOff && !isWatching;
  const item = useView((view) => requestItemOf(view, ask), null);
  const toolCall = useView(
    (view) => (item?.ask === "permission" ? toolCallOf(view, item) : null),
    null,
  );
  const subagent = useView(
    (view) => (ask.subagent === null ? null : subagentOf(view, ask.subagent)),
    null,
  );
  const draft = useAnswerDraft(ask.askId);
  // Keeps the form mounted, so that its values survive while another request is shown.
  const [wasExpanded, setWasExpanded] = useState(isExpanded);
  if (isExpanded && !wasExpanded) setWasExpanded(true);
  const id = useId();
  if (item === null) return null;

  const from =
    ask.subagent === null
      ? null
      : (subagent?.description ?? subagent?.title ?? subagent?.agentType ?? "Subagent");
  const Icon = item.ask === "permission" ? ShieldQuestion : CircleHelp;
  const heading = (
    <>
      <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ask" />
      <span className="min-w-0 truncate font-medium text-ink">
        {isExpanded ? questionOf(item, toolCall) : titleOf(item, toolCall)}
      </span>
      {from === null ? null : (
        <Chip className="max-w-[50%] min-w-0">
          <Bot size={16} strokeWidth={1.5} aria-label="Subagent" className="shrink-0" />
          <span className="truncate">{from}</span>
        </Chip>
      )}
      <span className="grow" />
      {place === null ? null : (
        <span className="shrink-0 text-xs text-soft">
          {place.number} of {place.of}
        </span>
      )}
    </>
  );
  const headingLook = "flex w-full min-w-0 items-center gap-2 px-3 py-2 text-left text-sm";
  return (
    <article
      aria-labelledby={id}
      hidden={isHidden}
      className={clsx(
        "flex-col overflow-hidden rounded-card border bg-page",
        isHidden ? "hidden" : "flex",
        isExpanded
          ? "min-h-0 border-ask outline-accent group-focus-visible/dock:outline-2"
          : "shrink-0 border-line",
      )}
    >
      <h2 id={id} className="shrink-0 bg-ask-soft">
        {isExpanded ? (
          <span className={headingLook}>{heading}</span>
        ) : (
          <button type="button" className={clsx(headingLook, "touchable")} onClick={onExpand}>
            <ChevronRight size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
            {heading}
          </button>
        )}
      </h2>
      {wasExpanded ? (
        <RequestBody
          item={item}
          toolCall={toolCall}
          draft={draft}
          isShown={isExpanded}
          isBusy={isBusy}
          isWatching={isWatching}
          disabledReasonId={isHeld ? `${id}-offline` : null}
          guard={props.guard}
          onAnswer={onAnswer}
        />
      ) : null}
      {isHeld && isExpanded ? (
        <div className="shrink-0 border-t border-line bg-raised px-3 py-2">
          <OfflineNote id={`${id}-offline`} isAnswered={isBusy} />
        </div>
      ) : null}
    </article>
  );
}

function titleOf(item: AskItem, toolCall: ToolCallItem | null): string {
  if (item.ask === "question") return messageOf(item.request);
  return toolCall === null ? "The agent asks for permission" : toolCall.title;
}

/** The heading of the card: what the person decides. */
function questionOf(item: AskItem, toolCall: ToolCallItem | null): string {
  if (item.ask === "question") return "The agent asks";
  if (isSandboxRequest(item, toolCall))
    return isAboutCreatedPlaces(item)
      ? "Keep the protected files that it made?"
      : "Stopped by the sandbox. Run it again?";
  return questions[toolCall?.kind ?? ""] ?? "Allow this?";
}

const questions: Readonly<Record<string, string>> = {
  execute: "Run this command?",
  edit: "Make this change?",
  delete: "Delete this?",
  move: "Move this?",
  read: "Read this?",
  search: "Search for this?",
  fetch: "Fetch this?",
};
