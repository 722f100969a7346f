import { blocksText, type ThoughtItem } from "@landline/protocol";
import { clsx } from "clsx";
import { Blocks } from "../../content/blocks.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { useOnlineStatus } from "../../tools/use-online-status.ts";
import { duration } from "../../ui/duration.ts";

export interface ThoughtRowProps {
  readonly item: ThoughtItem;
  /** When it ended; null while it grows. */
  readonly until: number | null;
  readonly isLive: boolean;
}

/** A collapsed thought. A live one pulses and shows its last line. */
export function ThoughtRow({ item, until, isLive }: ThoughtRowProps) {
  const isThinking = isLive && until === null;
  const isOnline = useOnlineStatus();
  return (
    <Disclosure
      className="text-soft"
      summary={
        <span
          className={clsx(
            "flex min-w-0 gap-2 text-soft",
            isThinking && isOnline && "animate-breathe",
          )}
        >
          <span className="shrink-0">{isThinking ? "Thinking" : thoughtWords(item, until)}</span>
          {isThinking ? <span className="min-w-0 truncate">{lastWords(item)}</span> : null}
        </span>
      }
    >
      {() => (
        <div className="mt-1 mb-2 ml-2 border-l border-line pl-4 text-sm">
          <Blocks blocks={item.content} isLive={isThinking} />
        </div>
      )}
    </Disclosure>
  );
}

function thoughtWords(item: ThoughtItem, until: number | null): string {
  const tookMs = until === null ? 0 : until - item.at;
  return tookMs < 1_000 ? "Thought" : `Thought for ${duration(tookMs)}`;
}

/** The line that is being written. */
function lastWords({ content }: ThoughtItem): string {
  const last = content.at(-1);
  if (last?.type !== "text") return "";
  const words = blocksText([{ ...last, text: last.text.slice(-300) }]).trimEnd();
  return words
    .slice(words.lastIndexOf("\n") + 1)
    .replaceAll(/[*_`#]/gu, "")
    .trim();
}
