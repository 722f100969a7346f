import type { AskOutcome } from "@landline/client";
import type { AskItem, ToolCallItem } from "@landline/protocol";
import { clsx } from "clsx";
import { useRef } from "react";
import type { AnswerGuard } from "./answer-guard.ts";
import type { AnswerDraftAccess } from "./answer-draft.ts";
import { DisabledReasonProvider } from "./offline-note.tsx";
import { PermissionBody } from "./permission-body.tsx";
import { Question } from "./question.tsx";
import { useGuardedElement } from "./use-answer-guard.ts";
import { ReadOnlyRequest } from "./read-only-request.tsx";

export interface RequestBodyProps {
  readonly item: AskItem;
  readonly toolCall: ToolCallItem | null;
  readonly draft: AnswerDraftAccess;
  readonly isShown: boolean;
  readonly isBusy: boolean;
  readonly isWatching: boolean;
  /** The id of the text that explains why it can't be answered now, or null. */
  readonly disabledReasonId: string | null;
  readonly guard: AnswerGuard;
  readonly onAnswer: (outcome: AskOutcome, note?: string) => void;
}

/** The content of a request and its answer buttons, which the guard watches. */
export function RequestBody(props: RequestBodyProps) {
  const { item, toolCall, draft, isShown, isBusy, isWatching, disabledReasonId, guard, onAnswer } =
    props;
  const answering = { draft, isBusy, onAnswer };
  const element = useRef<HTMLDivElement>(null);
  useGuardedElement(guard, element, isShown);
  return (
    <div
      ref={element}
      hidden={!isShown}
      className={clsx("min-h-0 flex-col p-3", isShown && "flex overflow-y-auto")}
    >
      {isWatching ? <ReadOnlyRequest item={item} toolCall={toolCall} /> : null}
      <DisabledReasonProvider value={disabledReasonId}>
        {!isWatching && item.ask === "permission" ? (
          <PermissionBody {...answering} item={item} toolCall={toolCall} />
        ) : null}
        {!isWatching && item.ask === "question" ? (
          <Question {...answering} request={item.request} />
        ) : null}
      </DisabledReasonProvider>
    </div>
  );
}
