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
  /** Words of others, which may be many: they take more lines rather than leave the button. */
  readonly isWrapping?: boolean;
  /** The id of the words that say why it can't be pressed for now: it stays where it is, with its focus. */
  readonly disabledReasonId?: string | null;
  /** It does what it says: it can't be pressed again meanwhile, and keeps its focus. */
  readonly isBusy?: boolean;
}

/** A verb. */
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
      // A form is not sent by it either.
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
