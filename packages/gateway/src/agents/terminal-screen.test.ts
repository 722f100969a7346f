import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { TerminalScreen } from "./terminal-screen.ts";

const pieces = fc.array(
  fc.string({ minLength: 1, maxLength: 30, unit: fc.constantFrom("a", "\n") }),
  {
    maxLength: 60,
  },
);

describe("a screen", () => {
  test.prop([pieces, fc.integer({ min: 1, max: 400 }), fc.nat(60)])(
    "keeps the last lines, and sends every viewer what is new",
    (texts, lengthMax, cut) => {
      const screen = new TerminalScreen(lengthMax);
      let all = "";
      let position = 0;
      for (const [index, text] of texts.entries()) {
        if (index === cut) position = screen.end;
        screen.add(text);
        all += text;
      }
      const whole = screen.whole();
      expect(whole.length).toBeLessThanOrEqual(lengthMax);
      expect(all.endsWith(whole)).toBe(true);
      expect(screen.end).toBe(all.length);
      const kept = all.slice(-lengthMax);
      const fromLine = kept.includes("\n") ? kept.slice(kept.indexOf("\n") + 1) : kept;
      expect(whole).toBe(kept === all ? all : fromLine);
      expect([all.slice(position), `\u001Bc${whole}`]).toContain(screen.since(position));
      if (all.length - position <= lengthMax) {
        expect(screen.since(position)).toBe(all.slice(position));
      }
      expect(screen.since(screen.end)).toBe("");
    },
  );

  it("starts after a control sequence or a character that is cut", () => {
    const escapes = new TerminalScreen(10);
    escapes.add("31mred \u001B[0m plain");
    expect(escapes.whole()).toBe("\u001B[0m plain");
    const emoji = new TerminalScreen(3);
    emoji.add("😀😀");
    expect(emoji.whole()).toBe("😀");
  });

  it("is efficient for a program that writes single letters", () => {
    const screen = new TerminalScreen(256 * 1_024);
    let position = 0;
    let read = 0;
    for (let count = 0; count < 600_000; count++) {
      screen.add("x");
      read += screen.since(position).length;
      position = screen.end;
    }
    expect(read).toBe(600_000);
    expect(screen.whole()).toHaveLength(256 * 1_024);
  });

  it("notifies watchers until they stop", () => {
    const screen = new TerminalScreen(10);
    let told = 0;
    const listener = () => told++;
    const first = screen.watch(listener);
    using _second = screen.watch(listener);
    screen.add("a");
    first[Symbol.dispose]();
    screen.add("");
    screen.add("b");
    expect(told).toBe(3);
  });

  it("returns its last lines as plain text", () => {
    const screen = new TerminalScreen(1_000);
    screen.add("\u001B[2J\u001B[1mCode:\u001B[22m 1\r\nWrong\r\r\n\n");
    expect(screen.stderrSummary(100)).toBe("Code: 1\nWrong");
    expect(screen.stderrSummary(5)).toBe("Wrong");
  });
});
