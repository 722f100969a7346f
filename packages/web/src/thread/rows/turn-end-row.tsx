import { errorRow, isErrorCode } from "@landline/protocol";
import type { TurnEndRow as EndOfTurn } from "../rows.ts";
import { exitWords } from "./exit-words.ts";
import { LogTail } from "./log-tail.tsx";
import { SendAgain } from "./send-again.tsx";
import { SignInButton } from "./sign-in-button.tsx";
import { Trouble } from "./trouble.tsx";
import { stopWords, turnFacts } from "./turn-words.ts";

/** A hairline, with what the turn took; and the reason, where it is not the ordinary one. */
export function TurnEndRow({ row }: { readonly row: EndOfTurn }) {
  const { prompt, end } = row;
  const words = stopWords(end.stopReason);
  const isTrouble = end.stopReason === "failed" || end.stopReason === "interrupted";
  return (
    <div className="flex flex-col gap-4">
      {isTrouble ? <FailedTurn row={row} /> : null}
      <div className="flex items-center gap-3 text-xs text-soft">
        <span className="h-px grow bg-line" />
        <span className="text-center">
          {words === null || isTrouble ? null : `${words} · `}
          {turnFacts(end, prompt.at)}
        </span>
        <span className="h-px grow bg-line" />
      </div>
    </div>
  );
}

function FailedTurn({ row: { prompt, end, exit } }: { readonly row: EndOfTurn }) {
  const { error, stopReason } = end;
  const again = <SendAgain prompt={prompt} />;
  if (exit !== null) {
    return (
      <Trouble title={exitWords(exit).title} why={lastLine(exit.stderr)} help={next} action={again}>
        <LogTail text={exit.stderr} />
      </Trouble>
    );
  }
  if (stopReason === "interrupted") {
    return <Trouble title="The turn was interrupted" why={interrupted} action={again} />;
  }
  return (
    <Trouble
      title="The turn failed"
      why={error?.message ?? null}
      help={error !== null && isErrorCode(error.code) ? errorRow(error.code).help : null}
      action={error?.code === "auth-required" ? <SignInButton /> : again}
    />
  );
}

const next = "Your next prompt starts it again.";
const interrupted =
  "The gateway was stopped while the agent worked. Nothing was sent again by itself.";

/** What a program says last is mostly why it ended. */
function lastLine(log: string): string | null {
  return log.trimEnd().split("\n").at(-1)?.slice(0, 500) ?? null;
}
