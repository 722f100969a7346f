import type { QuestionOutcome } from "@landline/client";
import type { QuestionItem } from "@landline/protocol";
import { useMemo, type ReactNode } from "react";
import type { AnswerDraftAccess } from "./answer-draft.ts";
import { messageOf } from "./outcome-text.ts";
import { readForm } from "./form-model.ts";
import { withoutRepeats } from "./form-repeats.ts";
import { QuestionForm, QuestionRefusals } from "./question-form.tsx";
import { QuestionLink } from "./question-link.tsx";

export interface QuestionProps {
  readonly request: QuestionItem["request"];
  /** Stores unsent values; without it they are not stored. */
  readonly draft?: AnswerDraftAccess;
  /** The label of the submit button of a form. */
  readonly sendLabel?: string;
  readonly isBusy?: boolean;
  /** Replaces the buttons to decline and to dismiss. */
  readonly otherwise?: ReactNode;
  readonly onAnswer: (answer: QuestionOutcome) => void;
}

/** The agent's question: its message, and a form or a URL below it. */
export function Question(props: QuestionProps) {
  const { request, draft, sendLabel = "Send answer", isBusy = false, otherwise = null } = props;
  const { message, model } = useMemo(() => {
    const schema = request.mode === "form" ? request["requestedSchema"] : null;
    return withoutRepeats(messageOf(request), readForm(schema));
  }, [request]);
  const shared = { isBusy, otherwise, onAnswer: props.onAnswer };
  return (
    <div className="flex flex-col gap-3">
      {message === "" ? null : <p className="break-words whitespace-pre-wrap">{message}</p>}
      {request.mode === "form" ? (
        <QuestionForm model={model} draft={draft} sendLabel={sendLabel} {...shared} />
      ) : request.mode === "url" ? (
        <QuestionLink url={request["url"]} {...shared} />
      ) : (
        <>
          <p className="text-sm text-soft">
            The agent asks a kind of question that this page does not support.
          </p>
          <div className="flex flex-wrap gap-2">
            <QuestionRefusals {...shared} />
          </div>
        </>
      )}
    </div>
  );
}
