import { join } from "node:path";
import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { kindUnknown } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { anyRule } from "./corpus/any-rule.ts";
import type { AskOutcome } from "../../src/acp-client/permissions/request-outcome.ts";
import { NamedCalls } from "../../src/acp-client/permissions/named-calls.ts";
import { rememberKey } from "../../src/acp-client/permissions/rule-from-answer.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import {
  forever,
  options,
  permission,
  selected,
  usePermissions,
  watched,
} from "./use-permissions.ts";

const at = usePermissions();
const { desk } = at;

describe("a rule", () => {
  it("answers without a person, and is named", async () => {
    const rule = await at.rules.add(anyRule({ what: { commandPrefix: "npm test" } }));
    const { asks, events } = desk();
    const { outcome } = await asks.permission(permission(), undefined, forever());
    expect(outcome).toEqual(selected("yes"));
    expect(events).toMatchObject([
      { kind: "ask-opened" },
      {
        kind: "ask-settled",
        by: { rule: rule.id },
        outcome: { ...selected("yes"), _meta: { "landline/rule": await at.rules.describe(rule) } },
      },
    ]);
  });

  const guess = { _meta: { [kindUnknown]: true } };
  const option = (optionId: string, kind: PermissionOption["kind"], more = {}) => ({
    optionId,
    name: optionId,
    kind,
    ...more,
  });
  const [once, always] = [option("1", "allow_once"), option("2", "allow_always")];
  const [no, never] = [option("3", "reject_once"), option("4", "reject_always")];

  it.each([
    ["allow", [no, always, once], selected("1")],
    ["allow", [no, always], selected("2")],
    ["allow", [no, { ...once, ...guess }], "asked"],
    ["allow", [{ ...once, ...guess }, always], selected("2")],
    ["allow", [], "asked"],
    ["deny", [once, never, no], selected("3")],
    ["deny", [once, never], selected("4")],
    ["deny", [once, { ...no, ...guess }], { outcome: "cancelled" }],
    ["deny", [once], { outcome: "cancelled" }],
    ["ask", [once, no], "asked"],
  ] as const)("to %s selects of %j", async (decision, offered, expected) => {
    await at.rules.add(anyRule({ decision }));
    const { rules, asked } = watched(at.rules);
    const { asks } = desk({ rules });
    const answered = asks.permission(permission({ options: [...offered] }), undefined, forever());
    const nobody = asked.then(() => ({ outcome: "asked" }));
    expect(await Promise.race([answered, nobody])).toEqual({ outcome: expected });
  });

  it("that does not match leaves the request to people", async () => {
    await at.rules.add(anyRule({ what: { commandPrefix: "npm run" } }));
    const { rules, asked } = watched(at.rules);
    const { asks, lastId } = desk({ rules });
    const answered = asks.permission(permission(), undefined, forever());
    await asked;
    asks.answer(lastId(), selected("no"), "client-1");
    expect(await answered).toEqual({ outcome: selected("no") });
  });

  it("does not apply when a person answered first", async () => {
    await at.rules.add(anyRule());
    const { asks, events, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), selected("no"), "client-1");
    expect(await answered).toEqual({ outcome: selected("no") });
    expect(events).toHaveLength(2);
  });

  const noted = (update: object) => {
    const calls = new NamedCalls();
    const sessionUpdate = "tool_call";
    calls.note({ sessionUpdate, toolCallId: "call-1", title: "A call", ...update }, null);
    return calls;
  };

  it("is compared with earlier updates of the call", async () => {
    await at.rules.add(anyRule({ what: { commandPrefix: "npm test" } }));
    const calls = noted({ kind: "execute", rawInput: { command: "npm test" } });
    const { asks } = desk({ calls });
    const toolCall = { toolCallId: "call-1", kind: null };
    const { outcome } = await asks.permission(permission({ toolCall }), undefined, forever());
    expect(outcome).toEqual(selected("yes"));
  });

  it("sees every file that was named", async () => {
    await at.rules.add(anyRule({ what: { toolKind: "edit" } }));
    const { rules, asked } = watched(at.rules);
    const { asks } = desk({ rules, calls: noted({ locations: [{ path: "/etc/passwd" }] }) });
    const toolCall = { toolCallId: "call-1", kind: "edit" as const, locations: [{ path: "a.ts" }] };
    void asks.permission(permission({ toolCall }), undefined, forever());
    await asked;
    expect(asks.open).toHaveLength(1);
  });

  it("sees what is named while it is evaluated", async () => {
    await at.rules.add(anyRule({ what: { commandPrefix: "npm test" } }));
    await at.rules.add(anyRule({ decision: "deny", what: { commandPrefix: "rm" } }));
    const calls = new NamedCalls();
    const { asks } = desk({ calls });
    const answered = asks.permission(permission(), undefined, forever());
    const rawInput = { command: "rm -rf build" };
    calls.note({ sessionUpdate: "tool_call_update", toolCallId: "call-1", rawInput }, null);
    expect(await answered).toEqual({ outcome: selected("no") });
  });

  it("does not trust a title alone", async () => {
    await at.rules.add(anyRule({ what: { commandPrefix: "npm test" } }));
    const { rules, asked } = watched(at.rules);
    const { asks } = desk({ rules });
    const toolCall = { toolCallId: "call-1", kind: "execute", title: "npm test" } as const;
    void asks.permission(permission({ toolCall }), undefined, forever());
    await asked;
    expect(asks.open).toHaveLength(1);
  });

  it("never allows a protected file, and the request says why", async () => {
    await at.rules.add(anyRule({ what: { toolKind: "edit" } }));
    const { rules, asked } = watched(at.rules);
    const { asks, events } = desk({ rules });
    const path = join(at.folder, ".env");
    const toolCall = { toolCallId: "c", kind: "edit" as const, locations: [{ path }] };
    void asks.permission(permission({ toolCall }), undefined, forever());
    await asked;
    const { askId } = asks.open[0]!;
    const reasons = [".env may hold passwords or keys"];
    expect(events.slice(1)).toEqual([{ kind: "ask-explained", askId, reasons }]);
  });

  it("explains nothing if no rule would have allowed it", async () => {
    await at.rules.add(anyRule({ what: { toolKind: "fetch" } }));
    const { rules, asked } = watched(at.rules);
    const { asks, events } = desk({ rules });
    const toolCall = { toolCallId: "c", kind: "edit" as const, locations: [{ path: ".env" }] };
    void asks.permission(permission({ toolCall }), undefined, forever());
    await asked;
    expect(events).toHaveLength(1);
  });
});

describe("an answer that is remembered", () => {
  const remembering = (optionId: string, remember: unknown) =>
    selected(optionId, { [rememberKey]: remember });

  async function answerOnce(outcome: AskOutcome, params = permission()) {
    const { asks, events, lastId } = desk();
    const answered = asks.permission(params, undefined, forever());
    asks.answer(lastId(), outcome, "client-1");
    await answered;
    await expect.poll(() => at.rules.list().length + events.length).toBeGreaterThan(2);
    return events;
  }

  it("is sent to the agent and becomes a rule, which answers the next time", async () => {
    await answerOnce(remembering("always", { where: "project" }));
    expect(at.rules.list()).toMatchObject([
      {
        decision: "allow",
        what: { agent: "claude", commandPrefix: "npm test" },
        where: { in: "project", folder: at.folder },
        by: "client-1",
      },
    ]);
    const { outcome } = await desk().asks.permission(permission(), undefined, forever());
    expect(outcome).toEqual(selected("yes"));
  });

  it.each([
    ["no", "session", "deny", { in: "session", sessionId: "session-1" }],
    ["yes", "everywhere", "allow", { in: "everywhere" }],
  ])("by %s, %s: %s", async (optionId, where, decision, place) => {
    await answerOnce(remembering(optionId, { where }));
    expect(at.rules.list()).toMatchObject([{ decision, where: place }]);
  });

  it("may name its subject", async () => {
    const what = { commandPrefix: "npm", toolKind: "execute" };
    await answerOnce(remembering("always", { where: "session", what }));
    expect(at.rules.list()).toMatchObject([{ what }]);
  });

  it("is about the tool if there is no command", async () => {
    const toolCall = { toolCallId: "c", kind: "fetch", name: "WebFetch" } as const;
    await answerOnce(remembering("always", { where: "session" }), permission({ toolCall }));
    expect(at.rules.list()).toMatchObject([
      { what: { agent: "claude", toolKind: "fetch", toolName: "WebFetch" } },
    ]);
  });

  const run = (command: unknown) => ({
    toolCall: { toolCallId: "c", kind: "execute", rawInput: { command } } as const,
  });

  it.each<readonly [string, unknown, Partial<RequestPermissionRequest>]>([
    ["nowhere", {}, {}],
    ["in an unknown place", { where: "world" }, {}],
    ["as a string", "project", {}],
    ["about a list", { where: "session", what: [] }, {}],
    ["about an unknown field", { where: "session", what: { tool: "x" } }, {}],
    ["about a number", { where: "session", what: { agent: 5 } }, {}],
    ["about an unknown kind", { where: "session", what: { toolKind: "dance" } }, {}],
    ["about many hosts", { where: "session", what: { host: "*.example.com" } }, {}],
    ["about reading, as a string", { where: "session", what: { onlyReads: "true" } }, {}],
    ["about two commands", { where: "session", what: { commandPrefix: "a; b" } }, {}],
    ["for a command with shell syntax", { where: "session" }, run("npm test; rm x")],
    ["for words without a shell", { where: "session" }, run(["npm", "test"])],
    ["for a call without a command", { where: "session" }, run(undefined)],
    ["for a call without a name", { where: "session" }, { toolCall: { toolCallId: "c" } }],
    [
      "for an option whose kind is a guess",
      { where: "session" },
      { options: [{ ...options[0]!, _meta: { [kindUnknown]: true } }] },
    ],
  ])("is refused %s, and the request stays open", async (_what, remember, change) => {
    const { asks, events, lastId } = desk();
    void asks.permission(permission(change), undefined, forever());
    expect(() => asks.answer(lastId(), remembering("always", remember), "client-1")).toThrow(
      expect.objectContaining({ code: "invalid-params" }),
    );
    expect(asks.open).toHaveLength(1);
    expect(events).toHaveLength(1);
    expect(at.rules.list()).toEqual([]);
  });

  it("reports in the session that the rule can't be saved", async () => {
    at.rules = await openRules(join(at.folder, "missing", "rules.json"));
    const events = await answerOnce(remembering("always", { where: "session" }));
    expect(events[2]).toMatchObject({ kind: "error", code: "folder-unusable" });
    expect(JSON.stringify(events[2])).toContain("The rule was not saved");
  });

  it("has no further effect if the log refuses that report", async () => {
    at.rules = await openRules(join(at.folder, "missing", "rules.json"));
    const failed = Promise.withResolvers<void>();
    const rules = { ...watched(at.rules).rules, add: () => Promise.reject(new Error("no")) };
    const { asks, events, log, lastId } = desk({ rules });
    const answered = asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), remembering("always", { where: "session" }), "client-1");
    log.refuses = true;
    await answered;
    setImmediate(failed.resolve);
    // An unhandled error would fail the run.
    await failed.promise;
    expect(events).toHaveLength(2);
  });

  it("has no effect without a choice", async () => {
    const { asks, lastId } = desk();
    void asks.permission(permission(), undefined, forever());
    const meta = { [rememberKey]: { where: "session" } };
    asks.answer(lastId(), { outcome: "cancelled", _meta: meta }, "client-1");
    expect(at.rules.list()).toEqual([]);
  });
});
