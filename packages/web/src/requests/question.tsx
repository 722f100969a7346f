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
  /** Where what is written is kept until it is sent; nowhere without. */
  readonly draft?: AnswerDraftAccess;
  /** What the button says that sends a form. */
  readonly sendLabel?: string;
  readonly isBusy?: boolean;
  /** The way not to answer, where it is not to decline or to dismiss. */
  readonly otherwise?: ReactNode;
  readonly onAnswer: (answer: QuestionOutcome) => void;
}

/** What an agent asks: its words, and a form or an address below them. */
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
          <p className="text-sm text-soft">The agent asks in a way that this page does not know.</p>
          <div className="flex flex-wrap gap-2">
            <QuestionRefusals {...shared} />
          </div>
        </>
      )}
    </div>
  );
}
