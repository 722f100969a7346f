import {
  executionBadge,
  executionText,
  type ExecutedCall,
  type ExecutionBadge as Word,
} from "@landline/protocol";
import { clsx } from "clsx";
import {
  AppWindow,
  Box,
  CircleHelp,
  CircleSlash,
  LockOpen,
  SquareArrowOutUpRight,
  type LucideIcon,
} from "lucide-react";
import { isNamed, personName } from "../state/person-name.ts";
import { useMe } from "../state/session.tsx";

const icons: Readonly<Record<Word, LucideIcon>> = {
  Sandboxed: Box,
  "Outside sandbox": SquareArrowOutUpRight,
  "In editor": AppWindow,
  "Not confined": LockOpen,
  "Not recorded": CircleHelp,
  "Not run": CircleSlash,
};

/** "Run by codex · not confined by Landline · allowed once by you". */
function useExecutionText(call: ExecutedCall): string {
  const me = useMe();
  const person = (id: string) => {
    const name = personName(id, me);
    return isNamed(id, me) ? name : name.toLowerCase();
  };
  return executionText(call, { person });
}

interface ExecutionProps {
  readonly call: ExecutedCall;
}

/** How a call was executed, in one or two words; the details are its tooltip and accessible name. */
export function ExecutionBadge({ call }: ExecutionProps) {
  const words = useExecutionText(call);
  const word = executionBadge(call);
  if (word === "Not recorded" || word === "Not run") return null;
  const Icon = icons[word];
  const isOutside = word === "Outside sandbox";
  return (
    <span
      title={words}
      className={clsx(
        "flex shrink-0 items-center gap-1 text-xs",
        isOutside ? "font-medium text-ink" : "text-soft",
      )}
    >
      <Icon size={12} strokeWidth={1.75} aria-hidden />
      <span aria-hidden className={clsx(!isOutside && "max-medium:hidden")}>
        {word}
      </span>
      <span className="sr-only">{words}</span>
    </span>
  );
}

/** All details, in the opened row. */
export function ExecutionLine({ call }: ExecutionProps) {
  const words = useExecutionText(call);
  const Icon = icons[executionBadge(call)];
  return (
    <p className="flex min-w-0 items-start gap-2 py-1 text-xs text-soft medium:pl-6">
      <Icon size={12} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">{words}</span>
    </p>
  );
}
