import { clsx } from "clsx";
import type { ComponentProps } from "react";

const looks = {
  primary: "bg-accent text-on-accent hover:opacity-90",
  plain: "border border-line bg-page text-ink hover:bg-raised",
  quiet: "text-soft hover:bg-raised hover:text-ink",
  bad: "border border-line text-bad hover:bg-bad-soft",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: keyof typeof looks;
  /** Words of others, which may be many: they take more lines rather than leave the button. */
  readonly isWrapping?: boolean;
  /** The id of the words that say why it can't be pressed for now: it stays where it is, with its focus. */
  readonly heldBy?: string | null;
  /** It does what it says: it can't be pressed again meanwhile, and keeps its focus. */
  readonly isBusy?: boolean;
}

/** A verb. */
export function Button(props: ButtonProps) {
  const { look = "plain", isWrapping = false, heldBy = null, isBusy = false, ...others } = props;
  const { className, onClick, ...rest } = others;
  const isHeld = heldBy !== null || isBusy;
  return (
    <button
      type="button"
      aria-disabled={isHeld || undefined}
      aria-describedby={heldBy ?? undefined}
      // A form is not sent by it either.
      onClick={isHeld ? (event) => event.preventDefault() : onClick}
      className={clsx(
        "touchable inline-flex items-center justify-center gap-2 rounded-input px-3 py-1 text-sm font-medium transition-[color,background-color,border-color,opacity] disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50",
        isWrapping ? "min-w-0 max-w-full break-words" : "whitespace-nowrap",
        looks[look],
        className,
      )}
      {...rest}
    />
  );
}
