import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asks, logOf, opened, settles, toolCall, toolUpdate, turn } from "../../test/events.ts";
import type { AgentStarted, Confinement, EventBody, RawUpdate } from "../events.ts";
import { executionBadge, executionText } from "../execution-text.ts";
import { fold } from "../fold.ts";
import { viewRows } from "../limits/view.ts";
import { emptyView, viewBefore } from "../view/empty.ts";
import type { ToolCallItem } from "../view/item.ts";

const boxed: Confinement = { sandbox: "bubblewrap", network: "off" };
const hosts: Confinement = { sandbox: "bubblewrap", network: ["example.com"] };

function starts(fields: Partial<AgentStarted> = {}): EventBody {
  const base = { agentSessionId: "a", how: "new", info: null, capabilities: {} } as const;
  return { kind: "agent-started", ...base, ...fields };
}

function opens(terminalId: string, confinement?: Confinement | null): EventBody {
  const base = { kind: "terminal-opened", terminalId, command: "npm", args: [], cwd: "/" } as const;
  return confinement === undefined ? base : { ...base, confinement };
}

function restarts(terminalId: string, confinement: Confinement | null, ask: string): EventBody {
  return { kind: "terminal-restarted", terminalId, confinement, ask };
}

const inTerminal = (...ids: readonly string[]): RawUpdate => ({
  content: ids.map((terminalId) => ({ type: "terminal", terminalId })),
});

const reports = (confinement: unknown, by: string, name?: string): RawUpdate => ({
  _meta: { landline: { execution: { confinement, approval: { by, name } } } },
});

function calls(...bodies: readonly EventBody[]): readonly ToolCallItem[] {
  const { items } = fold(emptyView(), logOf(opened(), ...bodies));
  return items.filter((item) => item.type === "tool-call");
}

const names = { person: (id: string) => (id === "phone" ? "Ada" : id) };
const said = (call: ToolCallItem | undefined) => (call ? executionText(call, names) : "");
const told = (...bodies: readonly EventBody[]) => calls(...bodies).map(said);
const done = toolUpdate("c", { status: "completed" });

describe("the execution of a call", () => {
  it("is the agent's own, confined like the agent", () => {
    expect(told(starts({ confinement: null }), toolCall("c"), done)).toEqual([
      "Run by scripted · not confined by Landline · not asked",
    ]);
    expect(told(starts({ confinement: hosts }), toolCall("c"), done)).toEqual([
      "Run by scripted · sandboxed (example.com) · not asked",
    ]);
  });

  it("is not recorded in older logs, nor if the log can't be read", () => {
    const unknown = ["Run by scripted · confinement not recorded · not asked"];
    expect(told(starts(), toolCall("c"), done)).toEqual(unknown);
    const odd = { sandbox: "a box", network: "off" } as unknown as Confinement;
    expect(told(starts({ confinement: odd }), toolCall("c"), done)).toEqual(unknown);
    expect(told(opens("t"), toolCall("c", inTerminal("t")))).toEqual([
      "Run by Landline · confinement not recorded · not asked",
    ]);
  });

  it("is in the editor that ran its terminal, which confines nothing", () => {
    const inZed = { ...opens("z", null), editor: "Zed" } as EventBody;
    const [call] = calls(starts({ confinement: boxed }), inZed, toolCall("c", inTerminal("z")));
    expect(call?.execution).toMatchObject({ by: "editor", editor: "Zed", confinement: null });
    expect(said(call)).toBe("Run in Zed · not confined by Landline · not asked");
    expect(call && executionBadge(call)).toBe("In editor");
    const mixed = [opens("t", boxed), inZed, toolCall("c", inTerminal("t", "z"))];
    expect(told(...mixed)).toEqual(["Run in Zed · not confined by Landline · not asked"]);
    const own = [starts({ isBuiltIn: true, confinement: null }), inZed];
    const reported = toolUpdate("c", reports(boxed, "level"));
    expect(told(...own, toolCall("c", inTerminal("z")), reported)).toEqual([
      "Run in Zed · not confined by Landline · not asked: permission level",
    ]);
  });

  it("does not change when the agent is restarted with another confinement", () => {
    const [first, second] = calls(
      starts({ confinement: null }),
      toolCall("a"),
      starts({ confinement: null }),
      starts({ confinement: boxed }),
      toolCall("b"),
      toolUpdate("a", { status: "completed" }),
    );
    expect([first, second].map((call) => call && executionBadge(call))).toEqual([
      "Not confined",
      "Sandboxed",
    ]);
    const { agent } = fold(emptyView(), logOf(starts(), starts(), starts({ confinement: null })));
    expect(agent.runs).toEqual([{ from: 1 }, { from: 3, confinement: null }]);
  });

  it("is Landline's in a terminal of the gateway, even when the agent replaces the content", () => {
    const agent = starts({ confinement: null });
    const text = { content: [{ type: "content", content: { type: "text", text: "ok" } }] };
    expect(
      told(agent, opens("t", boxed), toolCall("c", inTerminal("t")), toolUpdate("c", text)),
    ).toEqual(["Run by Landline · sandboxed (no network) · not asked"]);
    // Of several, the least confined counts.
    const both = toolCall("c", inTerminal("t", "u"));
    expect(told(agent, opens("t", boxed), opens("u", null), both)).toEqual([
      "Run by Landline · not confined · not asked",
    ]);
    expect(told(agent, opens("t", boxed), opens("u", hosts), both)).toEqual([
      "Run by Landline · sandboxed (example.com) · not asked",
    ]);
  });

  it("is the agent's in a terminal that the agent displays, in any order of updates", () => {
    const agent = starts({ confinement: null });
    const info = { _meta: { terminal_info: { terminal_id: "own" } } };
    const own = ["Run by scripted · not confined by Landline · not asked"];
    expect(told(agent, toolCall("c", { ...inTerminal("own"), ...info }))).toEqual(own);
    const unknown = toolCall("c", inTerminal("own"));
    expect(told(agent, unknown, toolUpdate("c", info))).toEqual(own);
    expect(told(agent, unknown)).toEqual([
      "Run by scripted · confinement not recorded · not asked",
    ]);
  });

  it("a claim of the agent does not change a terminal of the gateway", () => {
    const forged = {
      _meta: {
        terminal_info: { terminal_id: "t", cwd: "/elsewhere" },
        terminal_output: { terminal_id: "t", data: "forged" },
        terminal_exit: { terminal_id: "t", exit_code: 0 },
      },
    };
    const { terminals } = fold(emptyView(), logOf(opens("t", boxed), toolCall("c", forged)));
    expect(terminals).toMatchObject([
      { command: "npm", cwd: "/", by: "landline", text: "", exit: null, confinement: boxed },
    ]);
  });

  it("contains the report of the built-in agent, and of no other", () => {
    const report = reports(hosts, "level", "Sandboxed");
    const forged = [toolCall("c", report), done] as const;
    expect(told(starts({ confinement: null }), ...forged)).toEqual([
      "Run by scripted · not confined by Landline · not asked",
    ]);
    const ours = starts({ isBuiltIn: true, confinement: null });
    expect(told(ours, ...forged)).toEqual([
      "Run by Landline agent · sandboxed (example.com) · not asked: level Sandboxed",
    ]);
    expect(told(ours, toolCall("c"), toolUpdate("c", reports(null, "rule", "npm *")))).toEqual([
      "Run by Landline agent · not confined · allowed by rule “npm *”",
    ]);
    expect(told(ours, toolCall("c", reports("a box", "level")), done)).toEqual([
      "Run by Landline agent · confinement not recorded · not asked",
    ]);
    // It may itself confine what it runs in an unconfined terminal of the gateway.
    expect(told(ours, opens("t", null), toolCall("c", { ...report, ...inTerminal("t") }))).toEqual([
      "Run by Landline · sandboxed (example.com) · not asked: level Sandboxed",
    ]);
  });

  it("claims nothing about a call of the built-in agent before the report", () => {
    const ours = starts({ isBuiltIn: true, confinement: null });
    const asked = [ours, toolCall("c"), asks("a", { toolCallId: "c" })];
    expect(told(...asked)).toEqual(["Requested by Landline agent · waiting for permission"]);
    expect(calls(...asked).map(executionBadge)).toEqual(["Not recorded"]);
  });

  it("shows that it left the sandbox of the built-in agent", () => {
    const execution = { confinement: null, hasLeftSandbox: true, approval: { by: "person" } };
    const left = toolUpdate("c", { status: "completed", _meta: { landline: { execution } } });
    const allowed = [asks("out", { toolCallId: "c" }), settles("out", "yes")];
    const ours = starts({ isBuiltIn: true, confinement: null });
    expect(told(ours, toolCall("c"), ...allowed, left)).toEqual([
      "Run by Landline agent · outside the sandbox, allowed once by Ada",
    ]);
    expect(told(starts({ confinement: null }), toolCall("c"), ...allowed, left)).toEqual([
      "Run by scripted · not confined by Landline · allowed once by Ada",
    ]);
  });

  it("shows that it left the sandbox, and who allowed that", () => {
    const agent = starts({ confinement: null });
    const inBox = [agent, opens("t", boxed), toolCall("c", inTerminal("t"))];
    const allowed = [asks("out", { toolCallId: "other" }), settles("out", "yes")];
    const outside = ["Run by Landline · outside the sandbox, allowed once by Ada"];
    expect(told(...inBox, ...allowed, restarts("t", null, "out"))[0]).toBe(outside[0]);
    // The agent may name the terminal later.
    const late = [agent, opens("t", boxed), ...allowed, restarts("t", null, "out")];
    expect(told(...late, toolCall("c", inTerminal("t"))).at(-1)).toBe(outside[0]);
    // Another host was allowed, and it stayed inside.
    expect(told(...inBox, ...allowed, restarts("t", hosts, "out"))[0]).toBe(
      "Run by Landline · sandboxed (example.com) · allowed once by Ada",
    );
  });
});

describe("the approval of a call", () => {
  const agent = starts({ confinement: null });
  const rule = (askId: string): EventBody => ({
    kind: "ask-settled",
    askId,
    outcome: {
      outcome: "selected",
      optionId: "yes",
      _meta: { "landline/rule": "Allow “npm test”, everywhere. It can do more." },
    },
    by: { rule: "r" },
  });
  const closes = (askId: string): EventBody => ({
    kind: "ask-settled",
    askId,
    outcome: { outcome: "cancelled" },
    by: { gateway: "timeout" },
  });

  it("is pending, and then by a person, a rule or nobody", () => {
    const asked = [agent, toolCall("c"), asks("1", { toolCallId: "c" })];
    expect(told(...asked)).toEqual([
      "Requested by scripted · not confined by Landline · waiting for permission",
    ]);
    expect(told(...asked, settles("1", "yes"), done)).toEqual([
      "Run by scripted · not confined by Landline · allowed once by Ada",
    ]);
    expect(told(...asked, settles("1", "no"))).toEqual(["Requested by scripted · rejected by Ada"]);
    // An agent that ignores a rejection is shown.
    expect(told(...asked, settles("1", "no"), done)).toEqual([
      "Run by scripted · not confined by Landline · rejected by Ada",
    ]);
    expect(told(...asked, rule("1"), done)).toEqual([
      "Run by scripted · not confined by Landline · allowed by a rule (Allow “npm test”, everywhere)",
    ]);
    expect(told(...asked, closes("1"))).toEqual(["Requested by scripted · not answered in time"]);
  });

  it("names everybody who allowed a call with several requests", () => {
    const asked = [agent, toolCall("c"), asks("1", { toolCallId: "c" }), rule("1")];
    const again = [...asked, asks("2", { toolCallId: "c" }), settles("2", "yes"), done];
    expect(told(...again)).toEqual([
      "Run by scripted · not confined by Landline · " +
        "allowed by a rule (Allow “npm test”, everywhere) and allowed once by Ada",
    ]);
  });

  it("belongs to the call that had the id when it was asked", () => {
    const [first, second] = told(
      agent,
      ...turn(1, "go"),
      toolCall("c"),
      asks("1", { toolCallId: "c" }),
      done,
      ...turn(2, "again"),
      toolCall("c", { status: "completed", title: "another" }),
      settles("1", "yes"),
    );
    expect(first).toContain("allowed once by Ada");
    expect(second).toContain("not asked");
  });

  it("is not that of a further call with the same id in the same turn", () => {
    const allowed = [toolCall("c"), asks("1", { toolCallId: "c" }), settles("1", "yes"), done];
    const again = toolCall("c", { title: "rm -rf build", status: "completed" });
    const rejected = [asks("2", { toolCallId: "c" }), settles("2", "no")];
    expect(told(agent, ...turn(1, "go"), ...allowed, again, ...rejected)).toEqual([
      "Run by scripted · not confined by Landline · allowed once by Ada",
      "Run by scripted · not confined by Landline · not asked",
      "Requested by scripted · rejected by Ada",
    ]);
  });
});

describe("any log", () => {
  const id = fc.constantFrom("a", "b");
  const confinement = fc.constantFrom<(Confinement | null)[]>(boxed, hosts, null);
  const meta = fc.anything().map((execution) => ({ _meta: { landline: { execution } } }));
  const report = confinement.map((value) => reports(value, "level", "Sandboxed"));
  const event = fc.oneof(
    fc.tuple(id, confinement).map(([one, value]) => opens(one, value)),
    fc.tuple(id, confinement).map(([one, value]) => restarts(one, value, "ask-a")),
    fc.tuple(id, fc.oneof(meta, report)).map(([one, fields]) => toolCall(one, fields)),
    fc.tuple(id, fc.array(id)).map(([one, ids]) => toolUpdate(one, inTerminal(...ids))),
    id.map((one) => asks(`ask-${one}`, { toolCallId: one })),
    fc.tuple(id, fc.constantFrom("yes", "no")).map(([one, how]) => settles(`ask-${one}`, how)),
    id.map((one) => toolUpdate(one, { status: "completed" })),
    fc.integer({ min: 1, max: 9 }).map((number) => turn(number, "go")[1]),
  );
  const log = fc.array(event, { maxLength: 40 });

  it("never has a sandbox that the gateway did not confirm", () => {
    fc.assert(
      fc.property(log, (bodies) => {
        // The agent is neither confined nor built in, so only terminals of the gateway can be confined.
        for (const { execution } of calls(starts({ confinement: null }), ...bodies)) {
          expect(execution).not.toHaveProperty("report");
          const recorded = execution.confinement ?? null;
          expect(execution.by === "agent" ? recorded : null).toBeNull();
          expect(execution.decisions.length).toBeLessThanOrEqual(
            viewRows.callDecisionsKept.default,
          );
        }
      }),
    );
  });

  it("is the same in a part that is folded separately, given the state of the agent", () => {
    const facts = fc.record({ confinement }, { requiredKeys: [] });
    fc.assert(
      fc.property(facts, facts, log, (one, other, bodies) => {
        const before = logOf(opened(), starts(one), toolCall("x"), starts(other));
        const after = logOf(opened(), ...before.slice(1), ...bodies).slice(before.length);
        const whole = fold(emptyView(), [...before, ...after]);
        const part = fold(viewBefore(whole), after);
        const callsOf = ({ items }: typeof whole) =>
          items.filter(({ type, first }) => type === "tool-call" && first > before.length);
        expect(callsOf(part)).toEqual(callsOf(whole));
      }),
    );
  });

  it("is the same for any order of the facts of a call", () => {
    const facts = [
      toolUpdate("c", reports(hosts, "level", "Sandboxed")),
      toolUpdate("c", inTerminal("t")),
      toolUpdate("c", inTerminal("u")),
      toolUpdate("c", { status: "completed" }),
    ];
    const inOrder = fc.shuffledSubarray(facts, { minLength: facts.length });
    fc.assert(
      fc.property(inOrder, (bodies) => {
        const ours = starts({ isBuiltIn: true, confinement: null });
        expect(told(ours, opens("t", null), opens("u", boxed), toolCall("c"), ...bodies)).toEqual([
          "Run by Landline · sandboxed (example.com) · not asked: level Sandboxed",
        ]);
      }),
    );
  });
});
