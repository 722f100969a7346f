import { Question, type QuestionProps } from "./question.tsx";

export type SignInQuestionProps = QuestionProps;

/** What an agent asks while it signs in: the form alone. */
export function SignInQuestion(props: SignInQuestionProps) {
  return <Question {...props} />;
}
