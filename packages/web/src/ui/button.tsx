import { clsx } from "clsx";
import type { ComponentProps } from "react";

const variants = {
  primary: "bg-accent text-on-accent hover:opacity-90",
  plain: "border border-line bg-page text-ink hover:bg-raised",
  quiet: "text-soft hover:bg-raised hover:text-ink",
  bad: "border border-line text-bad hover:bg-bad-soft",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: keyof typeof variants;
  /** For labels that come from an agent: long ones wrap inside the button. */
  readonly isWrapping?: boolean;
  /** The id of the text that explains why the button is disabled. The button keeps its focus. */
  readonly disabledReasonId?: string | null;
  /** An action is running: the button ignores clicks and keeps its focus. */
  readonly isBusy?: boolean;
}

export function Button(props: ButtonProps) {
  const {
    variant = "plain",
    isWrapping = false,
    disabledReasonId = null,
    isBusy = false,
    ...others
  } = props;
  const { className, onClick, ...rest } = others;
  const isDisabled = disabledReasonId !== null || isBusy;
  return (
    <button
      type="button"
      aria-disabled={isDisabled || undefined}
      aria-describedby={disabledReasonId ?? undefined}
      // Also prevents submission of a form.
      onClick={isDisabled ? (event) => event.preventDefault() : onClick}
      className={clsx(
        "touchable inline-flex items-center justify-center gap-2 rounded-input px-3 py-1 text-sm font-medium transition-[color,background-color,border-color,opacity] disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50",
        isWrapping ? "min-w-0 max-w-full break-words" : "whitespace-nowrap",
        variants[variant],
        className,
      )}
      {...rest}
    />
  );
}
