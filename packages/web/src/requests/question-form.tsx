import type { QuestionOutcome } from "@landline/client";
import { clsx } from "clsx";
import { useId, useRef, useState, type ReactNode } from "react";
import { AnswerButton } from "./answer-button.tsx";
import type { AnswerDraftAccess } from "./answer-draft.ts";
import { draftAnswers, valuesFromDraft } from "./form-draft-values.ts";
import type { FieldValue } from "./form-field.ts";
import { FormInput } from "./form-input.tsx";
import { contentOf, initialValues, problemsOf, type FormModel } from "./form-model.ts";
import { useDisabledReasonId } from "./offline-note.tsx";

export interface QuestionFormProps {
  readonly model: FormModel;
  /** Stores unsent values; without it they are not stored. */
  readonly draft?: AnswerDraftAccess | undefined;
  /** The label of the submit button. */
  readonly sendLabel: string;
  readonly isBusy: boolean;
  readonly otherwise: ReactNode;
  readonly onAnswer: (answer: QuestionOutcome) => void;
}

const noProblems: ReadonlyMap<string, string> = new Map();

/** A form generated from a schema. Errors appear at their fields after the first attempt to submit. */
export function QuestionForm(props: QuestionFormProps) {
  const { model, draft, sendLabel, isBusy, otherwise, onAnswer } = props;
  const [values, setValues] = useState(() =>
    draft ? valuesFromDraft(model, draft.read()) : initialValues(model),
  );
  const [wasTried, setTried] = useState(false);
  const disabledReasonId = useDisabledReasonId();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const problems = wasTried ? problemsOf(model.fields, values) : noProblems;

  const change = (name: string, value: FieldValue) => {
    const next = new Map(values).set(name, value);
    setValues(next);
    draft?.write(draftAnswers(model, next));
  };

  const submit = () => {
    setTried(true);
    const found = problemsOf(model.fields, values);
    const first = model.fields.findIndex(({ name }) => found.has(name));
    if (first !== -1) {
      form.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${first}`)}`)?.focus();
      return;
    }
    onAnswer({ action: "accept", content: contentOf(model.fields, values) });
  };

  return (
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && disabledReasonId === null) submit();
      }}
    >
      {model.title === null ? null : <p className="font-medium">{model.title}</p>}
      {model.about === null ? null : <p className="text-sm text-soft">{model.about}</p>}
      {model.fields.map((field, position) => (
        <FormInput
          key={field.name}
          id={`${id}-${position}`}
          field={field}
          value={values.get(field.name) ?? field.initial}
          problem={problems.get(field.name) ?? null}
          onChange={(value) => change(field.name, value)}
        />
      ))}
      {model.problem === null ? null : (
        <p className="text-sm text-bad">
          {model.problem}
          {otherwise === null ? " You can only decline." : null}
        </p>
      )}
      <div
        className={clsx(
          "flex flex-wrap gap-2",
          // In the dock the buttons stay visible, whatever the length of the form.
          otherwise === null && "sticky -bottom-3 -m-3 mt-0 bg-page p-3",
        )}
      >
        {model.problem === null ? (
          <AnswerButton type="submit" variant="primary" disabled={isBusy}>
            {model.fields.length === 0 ? "Accept" : sendLabel}
          </AnswerButton>
        ) : null}
        <QuestionRefusals isBusy={isBusy} otherwise={otherwise} onAnswer={onAnswer} />
      </div>
    </form>
  );
}

/** The buttons to decline and to dismiss a question. */
export function QuestionRefusals(props: Omit<QuestionFormProps, "model" | "draft" | "sendLabel">) {
  const { isBusy, otherwise, onAnswer } = props;
  if (otherwise !== null) return otherwise;
  return (
    <>
      <AnswerButton
        title="Decline. The agent is told and continues."
        disabled={isBusy}
        onClick={() => onAnswer({ action: "decline" })}
      >
        Decline
      </AnswerButton>
      <AnswerButton
        title="Close the question without an answer."
        variant="quiet"
        disabled={isBusy}
        onClick={() => onAnswer({ action: "cancel" })}
      >
        Dismiss
      </AnswerButton>
    </>
  );
}
