import { clsx } from "clsx";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { useDisabledReasonId } from "./offline-note.tsx";
import { useAnswering } from "./use-answer-guard.ts";

/**
 * A button that answers a request. While the guard accepts no answer it is faint, `aria-disabled`, and keeps its
 * focus.
 */
export function AnswerButton({ className, onClick, ...rest }: ButtonProps) {
  const { mark, isAppearing, accepts } = useAnswering();
  const disabledReasonId = useDisabledReasonId();
  return (
    <Button
      disabledReasonId={disabledReasonId}
      {...rest}
      {...mark}
      {...(isAppearing ? { "aria-disabled": true } : {})}
      className={clsx("data-[answer=wait]:cursor-default data-[answer=wait]:opacity-50", className)}
      onClick={(event) => {
        if (accepts(event.nativeEvent)) onClick?.(event);
        // Also prevents submission of a form.
        else event.preventDefault();
      }}
    />
  );
}
