import { errorRow, isErrorCode } from "@landline/protocol";
import type { TurnEndRow as EndOfTurn } from "../rows.ts";
import { agentExitText } from "./agent-exit-text.ts";
import { StderrTail } from "./stderr-tail.tsx";
import { SendAgain } from "./send-again.tsx";
import { SignInButton } from "./sign-in-button.tsx";
import { ErrorCard } from "./error-card.tsx";
import { stopReasonText, turnFacts } from "./turn-text.ts";

/** A divider with the duration and tokens of the turn, and the stop reason if it is unusual. */
export function TurnEndRow({ row }: { readonly row: EndOfTurn }) {
  const { prompt, end } = row;
  const words = stopReasonText(end.stopReason);
  const isTrouble = end.stopReason === "failed" || end.stopReason === "interrupted";
  const facts = [isTrouble ? null : words, turnFacts(end, prompt.at)].filter(Boolean).join(" · ");
  return (
    <div className="flex flex-col gap-4">
      {isTrouble ? <FailedTurn row={row} /> : null}
      <div className="flex items-center gap-3 text-xs text-soft">
        <span className="h-px grow bg-line" />
        {facts === "" ? null : (
          <>
            <span className="text-center">{facts}</span>
            <span className="h-px grow bg-line" />
          </>
        )}
      </div>
    </div>
  );
}

function FailedTurn({ row: { prompt, end, exit } }: { readonly row: EndOfTurn }) {
  const { error, stopReason } = end;
  const again = <SendAgain prompt={prompt} />;
  if (exit !== null && stopReason === "failed") {
    return (
      <ErrorCard
        title={agentExitText(exit).title}
        why={lastLine(exit.stderr)}
        help={next}
        action={again}
      >
        <StderrTail text={exit.stderr} />
      </ErrorCard>
    );
  }
  if (stopReason === "interrupted") {
    return <ErrorCard title="The turn was interrupted" why={interrupted} action={again} />;
  }
  return (
    <ErrorCard
      title="The turn failed"
      why={error?.message ?? null}
      help={helpOf(error?.code)}
      action={error?.code === "auth-required" ? <SignInButton /> : again}
    />
  );
}

const next = "Your next prompt starts it again.";
const interrupted =
  "The gateway was stopped while the agent worked, and this prompt is not sent again automatically. Your next prompt starts the agent again, after the queued prompts.";

/** Null for a generic error code: its message is the agent's own, and our help would mislead. */
function helpOf(code: string | undefined): string | null {
  if (code === undefined || code === "internal-error" || !isErrorCode(code)) return null;
  return errorRow(code).help;
}

/** The last line of stderr usually names the cause. */
function lastLine(log: string): string | null {
  return log.trimEnd().split("\n").at(-1)?.slice(0, 500) ?? null;
}
