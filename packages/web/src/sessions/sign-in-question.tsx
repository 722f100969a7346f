import { useLandline } from "@landline/client/react";
import type { QuestionItem } from "@landline/protocol";
import { useRef, type ReactNode } from "react";
import { Question } from "../requests/question.tsx";
import {
  AnswerGuardProvider,
  useNewAnswerGuard,
  useGuardedElement,
} from "../requests/use-answer-guard.ts";
import { runCommand } from "../state/run-command.ts";

export interface SignInQuestionProps {
  readonly agentId: string;
  readonly request: QuestionItem["request"];
  /** The button that cancels the sign-in. */
  readonly otherwise: ReactNode;
}

/** A question of an agent during sign-in. Each question needs a new element, so that its guard starts again. */
export function SignInQuestion({ agentId, request, otherwise }: SignInQuestionProps) {
  const landline = useLandline();
  const element = useRef<HTMLDivElement>(null);
  const guard = useNewAnswerGuard();
  useGuardedElement(guard, element);
  return (
    <AnswerGuardProvider value={guard}>
      <div ref={element}>
        <Question
          request={request}
          sendLabel="Continue"
          otherwise={otherwise}
          onAnswer={(outcome) => void runCommand(landline.answerSignIn(agentId, outcome))}
        />
      </div>
    </AnswerGuardProvider>
  );
}
