import type { TerminalView } from "@landline/protocol";
import { memo, useMemo } from "react";
import { useView } from "../state/session.tsx";
import { exitText, isBadExit } from "../tools/exit-text.ts";
import { terminalCommand } from "../tools/terminal-command.ts";
import { TerminalOutput } from "../tools/terminal-output.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { Section } from "./section.tsx";

const none: readonly never[] = [];
const SHOWN = 30;

/** Running terminals first, then the latest. */
export function TerminalsSection() {
  const terminals = useView((view) => view.terminals, none);
  const ordered = useMemo(() => inOrder(terminals), [terminals]);
  if (terminals.length === 0) return null;
  const running = terminals.filter(({ exit }) => exit === null).length;
  return (
    <Section name="Terminals" about={running === 0 ? terminals.length : `${running} running`}>
      {() => (
        <div className="flex flex-col gap-1">
          {ordered.slice(0, SHOWN).map((terminal) => (
            <Disclosure key={terminal.terminalId} summary={<Line terminal={terminal} />}>
              {() => <TerminalOutput terminal={terminal} />}
            </Disclosure>
          ))}
          {ordered.length > SHOWN ? (
            <p className="text-xs text-soft">
              {ordered.length - SHOWN} older ones are in the thread.
            </p>
          ) : null}
        </div>
      )}
    </Section>
  );
}

function inOrder(terminals: readonly TerminalView[]): TerminalView[] {
  const latest = terminals.toReversed();
  return [
    ...latest.filter(({ exit }) => exit === null),
    ...latest.filter(({ exit }) => exit !== null),
  ];
}

const Line = memo(function Line({ terminal }: { readonly terminal: TerminalView }) {
  const { exit } = terminal;
  const isBad = exit !== null && isBadExit(exit);
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="min-w-0 grow truncate font-mono">{terminalCommand(terminal)}</span>
      <span className={`shrink-0 text-xs ${isBad ? "text-bad" : "text-soft"}`}>
        {exit === null ? "Running" : exit.exitCode === 0 ? "Done" : shortExit(exitText(exit))}
      </span>
    </span>
  );
});

function shortExit(words: string): string {
  return words.replace("Failed with exit code", "Exit code");
}
