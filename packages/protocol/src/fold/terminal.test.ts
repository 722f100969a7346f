import { describe, expect, it } from "vitest";
import { logOf, toolCall, toolUpdate } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import { emptyView } from "../view/empty.ts";

const { terminalTextLength, terminalsKept } = limitsOf("default");
const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));

function opens(terminalId: string): EventBody {
  return { kind: "terminal-opened", terminalId, command: "npm", args: ["test"], cwd: "/repo" };
}

function prints(terminalId: string, text: string): EventBody {
  return { kind: "terminal-output", terminalId, text };
}

describe("terminals", () => {
  it("collect their output and their exit", () => {
    const view = viewOf(opens("t"), prints("t", "a\n"), prints("t", "b\n"), {
      kind: "terminal-exited",
      terminalId: "t",
      exitCode: null,
      signal: "SIGTERM",
    });
    expect(view.terminals).toEqual([
      {
        terminalId: "t",
        first: 1,
        last: 4,
        command: "npm",
        args: ["test"],
        cwd: "/repo",
        by: "landline",
        text: "a\nb\n",
        truncated: false,
        exit: { exitCode: null, signal: "SIGTERM" },
      },
    ]);
  });

  it("show how their latest run is confined, and keep earlier output", () => {
    const confinement = { sandbox: "bubblewrap", network: "off" } as const;
    const opened = { ...opens("t"), confinement } as EventBody;
    const before = viewOf(opened, prints("t", "a\n")).terminals;
    expect(before).toMatchObject([{ confinement, text: "a\n" }]);
    const restarted: EventBody = {
      kind: "terminal-restarted",
      terminalId: "t",
      confinement: null,
      ask: "ask-1",
    };
    const after = viewOf(opened, prints("t", "a\n"), restarted, prints("t", "b\n")).terminals;
    expect(after).toMatchObject([{ confinement: null, text: "a\nb\n", exit: null }]);
    expect(viewOf(opens("t")).terminals[0]).not.toHaveProperty("confinement");
  });

  it("keep the latest output within the limit", () => {
    const line = `${"x".repeat(999)}\n`;
    const many = Array.from({ length: 1_000 }, () => prints("t", line));
    const [terminal] = viewOf(opens("t"), ...many, prints("t", "the end")).terminals;
    expect(terminal?.truncated).toBe(true);
    expect(terminal?.text.endsWith("the end")).toBe(true);
    expect(terminal?.text.length).toBeLessThanOrEqual(terminalTextLength);
    expect(terminal?.text.length).toBeGreaterThan(terminalTextLength / 2);
  });

  it("are not cut within a character", () => {
    for (const before of ["", "x"]) {
      const text = before + "🙂".repeat(terminalTextLength);
      const [terminal] = viewOf(prints("t", text)).terminals;
      expect(terminal?.text.isWellFormed()).toBe(true);
      expect(terminal?.text.startsWith("🙂")).toBe(true);
    }
  });

  it("report missing output that is stored as a blob", () => {
    const text = { $blob: "hash", bytes: 300_000 } as unknown as string;
    expect(viewOf(opens("t"), prints("t", text)).terminals).toMatchObject([
      { text: "", truncated: true },
    ]);
  });

  it("drop the text of the oldest if there are many", () => {
    const many = Array.from({ length: terminalsKept + 1 }, (_, index) => [
      opens(`t${index}`),
      prints(`t${index}`, "text"),
    ]).flat();
    const { terminals } = viewOf(...many);
    expect(terminals).toHaveLength(terminalsKept + 1);
    expect(terminals[0]).toMatchObject({ text: "", truncated: true });
    expect(terminals[1]).toMatchObject({ text: "text", truncated: false });
  });

  it("of the agent itself come from the meta fields of its tool calls", () => {
    const view = viewOf(
      toolCall("c", {
        title: "ls",
        rawInput: { command: "ls -l" },
        _meta: { terminal_info: { terminal_id: "c", cwd: "/repo" } },
      }),
      toolUpdate("c", { _meta: { terminal_output_delta: { terminal_id: "c", data: "a\n" } } }),
      toolUpdate("c", {
        _meta: {
          terminal_output_delta: { terminal_id: "c", data: "b\n" },
          terminal_exit: { terminal_id: "c", exit_code: 2, signal: null },
        },
      }),
    );
    expect(view.terminals).toMatchObject([
      { command: "ls -l", cwd: "/repo", text: "a\nb\n", exit: { exitCode: 2, signal: null } },
    ]);
  });
});
