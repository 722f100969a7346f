import { withoutCodes } from "../../content/ansi-text.ts";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { TextWithCode } from "../../ui/text-with-code.tsx";

export interface ErrorCardProps {
  readonly title: string;
  /** The cause, if it is known. */
  readonly why?: string | null;
  /** What the person can do about it. */
  readonly help?: string | null;
  /** A button that solves the problem. */
  readonly action?: ReactNode;
  /** Details that can be opened, such as a log. */
  readonly children?: ReactNode;
}

export function ErrorCard({ title, why = null, help = null, action, children }: ErrorCardProps) {
  return (
    <div className="flex flex-col gap-2 rounded-card border border-line bg-bad-soft px-3 py-2 text-sm">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="flex min-w-0 grow basis-60 gap-2">
          <CircleAlert
            size={16}
            strokeWidth={1.5}
            aria-hidden
            className="mt-0.5 shrink-0 text-bad"
          />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="font-medium text-bad">
              <TextWithCode text={withoutCodes(title)} />
            </p>
            {why === null || why === "" ? null : (
              <p className="whitespace-pre-wrap">
                <TextWithCode text={withoutCodes(why)} />
              </p>
            )}
            {help === null || help === "" ? null : (
              <p className="text-soft">
                <TextWithCode text={withoutCodes(help)} />
              </p>
            )}
          </div>
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}
