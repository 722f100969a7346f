import type { TerminalView } from "@landline/protocol";
import { clsx } from "clsx";
import { memo, useDeferredValue, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Ansi } from "../content/ansi.tsx";
import { CopyButton } from "../content/copy-button.tsx";
import { VisibleText } from "../content/visible-text.tsx";
import { useView } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { WorkingFolder } from "./working-folder.tsx";
import { outputName } from "./call-text.ts";
import { terminalCommand } from "./terminal-command.ts";
import { exitText, isBadExit } from "./exit-text.ts";
import { ScrollPre } from "./scroll-pre.tsx";
import { lastLines, lineCount, settledText } from "./terminal-text.ts";

export interface TerminalOutputProps {
  readonly terminal: TerminalView;
}

const LINES_AT_FIRST = 12;
/** The limit while it runs, so that each new line costs the same. */
const LINES_LIVE = 500;

/** The output of a command: its last lines while it runs, and all stored output on demand. */
export const TerminalOutput = memo(function TerminalOutput({ terminal }: TerminalOutputProps) {
  const { text, exit, truncated } = terminal;
  const [isWhole, setWhole] = useState(false);
  const isRunning = exit === null;
  const count = isWhole ? (isRunning ? LINES_LIVE : Number.POSITIVE_INFINITY) : LINES_AT_FIRST;
  const shown = useShown(text, count);
  return (
    <figure className="min-w-0 overflow-hidden rounded-card border border-line bg-sunken">
      <CommandLine terminal={terminal} />
      {shown.isCut || truncated ? (
        <p className="flex items-center gap-2 px-3 pb-1 text-xs text-soft">
          {shown.isCut && !isWhole ? (
            <Button variant="quiet" className="-ml-3 text-xs" onClick={() => setWhole(true)}>
              {isRunning ? "Show more lines" : `Show all ${lines(text)} lines`}
            </Button>
          ) : shown.isCut ? (
            `Only the last ${LINES_LIVE} lines are shown while it runs.`
          ) : (
            "Older output is not shown."
          )}
        </p>
      ) : null}
      {text === "" ? null : <Screen terminal={terminal} text={shown.text} isWhole={isWhole} />}
      <p
        className={clsx(
          "border-t border-line px-3 py-1 text-xs",
          exit !== null && isBadExit(exit) ? "text-bad" : "text-soft",
        )}
      >
        {isRunning ? (text === "" ? "Running; no output yet" : "Running") : exitText(exit)}
        {!isRunning && text === "" ? "; no output" : null}
      </p>
    </figure>
  );
});

function CommandLine({ terminal }: TerminalOutputProps) {
  const command = terminalCommand(terminal);
  const cwd = useView((view) => view.session.cwd, "");
  return (
    <figcaption className="flex items-start gap-2 py-1 pr-1 pl-3 text-sm">
      <code className="min-w-0 grow py-1 font-mono text-sm break-words whitespace-pre-wrap">
        <span aria-hidden className="text-soft select-none">
          ${" "}
        </span>
        <VisibleText text={command} />
        {terminal.cwd === "" || terminal.cwd === cwd ? null : <WorkingFolder path={terminal.cwd} />}
      </code>
      <CopyButton text={() => settledText(terminal.text)} name="Copy the output" />
    </figcaption>
  );
}

interface ScreenProps extends TerminalOutputProps {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Follows the end while it runs, unless the person has scrolled up. */
function Screen({ terminal, text, isWhole }: ScreenProps) {
  const isRunning = terminal.exit === null;
  const element = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = element;
    if (current && isRunning && isAtEnd.current) current.scrollTop = current.scrollHeight;
  });
  return (
    <ScrollPre
      ref={element}
      name={outputName(terminalCommand(terminal))}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
      }}
      className={clsx(
        "overflow-auto px-3 pb-2 font-mono text-sm break-words whitespace-pre-wrap",
        isWhole ? "max-h-[60vh]" : "max-h-72",
      )}
    >
      <Ansi text={text} />
    </ScrollPre>
  );
}

function useShown(text: string, count: number): { readonly text: string; readonly isCut: boolean } {
  const latest = useDeferredValue(text);
  return useMemo(() => {
    const last = Number.isFinite(count) ? lastLines(latest, count) : { text: latest, isCut: false };
    return { text: settledText(last.text.replace(/\n$/u, "")), isCut: last.isCut };
  }, [latest, count]);
}

/** Not used while it runs, because counting costs more with each line. */
function lines(text: string): string {
  return lineCount(text).toLocaleString("en");
}
