import { useLandline } from "@landline/client/react";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useId, useRef } from "react";
import { showError } from "../state/run-command.ts";
import { onColourSchemeChange } from "../state/colour-scheme.ts";
import { Kbd } from "../ui/kbd.tsx";

export interface SignInTerminalProps {
  readonly terminalId: string;
}

/** The agent's sign-in terminal. */
export function SignInTerminal({ terminalId }: SignInTerminalProps) {
  const landline = useLandline();
  const hostRef = useRef<HTMLDivElement>(null);
  const leaveRef = useRef<HTMLParagraphElement>(null);
  const id = useId();
  useEffect(() => {
    const host = hostRef.current;
    if (!host) return undefined;
    const remote = landline.terminal(terminalId);
    const screen = new Terminal({ screenReaderMode: true, cursorBlink: false, ...looks(host) });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    screen.open(host);
    // The program receives Tab, so another key must leave the terminal.
    screen.attachCustomKeyEventHandler((event) => {
      if (!(event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "l")) return true;
      leaveRef.current?.focus();
      return false;
    });
    const stopOutput = remote.onOutput((text) => screen.write(text));
    const typing = screen.onData((text) => remote.write(text).catch(showError));
    const resizing = screen.onResize(({ cols, rows }) => {
      // The next resize sends the size again.
      remote.resize(cols, rows).catch(() => undefined);
    });
    const stopColours = onColourSchemeChange(() => {
      screen.options.theme = looks(host).theme;
    });
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(host);
    fit.fit();
    screen.focus();
    return () => {
      observer.disconnect();
      stopColours();
      resizing.dispose();
      typing.dispose();
      stopOutput();
      screen.dispose();
    };
  }, [landline, terminalId]);
  return (
    <section aria-label="Terminal of the sign-in" aria-describedby={id}>
      <div
        ref={hostRef}
        data-keeps-escape
        className="h-80 overflow-hidden rounded-card border border-line bg-sunken p-2"
      />
      <p ref={leaveRef} id={id} tabIndex={-1} className="mt-1 text-xs text-soft">
        What you type goes to the agent.
        <span className="pointer-coarse:hidden">
          {" "}
          <Kbd>Ctrl</Kbd> <Kbd>Shift</Kbd> <Kbd>L</Kbd> leaves the terminal.
        </span>
      </p>
    </section>
  );
}

/** The current colours of the page. */
function looks(host: HTMLElement) {
  const style = getComputedStyle(host);
  const { color, backgroundColor } = style;
  return {
    fontSize: 13,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--font-mono"),
    theme: { background: backgroundColor, foreground: color, cursor: color },
  };
}
