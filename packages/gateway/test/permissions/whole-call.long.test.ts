import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { LandlineError } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask } from "../spec/http.ts";

/** The updates of a call, and its permission request. */
interface Case {
  readonly updates?: readonly object[];
  readonly asked: Readonly<Record<string, unknown>>;
}

const id = "call-1";
const started = (fields: object) => ({ tool: { toolCallId: id, title: "A call", ...fields } });
const updated = (fields: object) => ({ toolUpdate: { toolCallId: id, ...fields } });
const said = { allow: [{ say: "allowed" }], reject: [{ say: "rejected" }] };

function agentOf({ updates = [], asked }: Case): object {
  const permission = { toolCall: { toolCallId: id, ...asked }, on: said };
  return { turns: [{ steps: [...updates, { permission }] }] };
}

interface Outcome {
  /** The answer of a rule, or that a person was asked. */
  readonly answer: string;
  /** Why a person was asked. */
  readonly because: readonly string[];
}

/** Runs a turn of a real agent with the rules of a real gateway. */
async function outcomeOf(rules: readonly object[], scenario: Case): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  await inGateway({ agent: agentOf(scenario) }, async (gateway) => {
    await fs.mkdir(path.join(gateway.project, "src"));
    // Without its first folder, this path would be inside the project.
    await fs.symlink("/", path.join(gateway.project, "a"));
    await addRules(gateway, rules);
    const { session, watcher } = await opened(gateway);
    using _watcher = watcher;
    const ended = turn(session, watcher, "go");
    const { askId } = await watcher.until("ask-opened");
    const isAsked = await isOpen(session, askId);
    if (isAsked) await session.answer(askId, { outcome: "cancelled" }, "tester");
    await ended;
    const explained = watcher.events.find((event) => event.kind === "ask-explained");
    const because = explained?.kind === "ask-explained" ? explained.reasons : [];
    outcomes.push({ answer: isAsked ? "asked" : watcher.said, because });
  });
  return outcomes[0]!;
}

/** Suggestions are made after all rules were evaluated, and only for open requests. */
async function isOpen(session: Session, askId: string): Promise<boolean> {
  return session.suggestRules(askId).then(
    () => true,
    (error: LandlineError) => {
      if (error.code === "ask-already-settled") return false;
      throw error;
    },
  );
}

async function addRules(gateway: ScriptedGateway, rules: readonly object[]): Promise<void> {
  for (const rule of rules) {
    const { status, json } = await ask(gateway, "POST", "/rules", rule);
    if (status !== 201) throw new Error(String(json["message"]));
  }
}

const rule = (decision: string, what: object) => ({ decision, what, where: { in: "everywhere" } });
const run = (command: string) => ({ kind: "execute", rawInput: { command } });

describe.concurrent("a rule sees the whole call", () => {
  test("a command that only the tool call named is denied", async () => {
    const denyRm = [rule("deny", { commandPrefix: "rm" }), rule("allow", {})];
    const updates = [started(run("rm -rf build"))];
    expect((await outcomeOf(denyRm, { updates, asked: { title: "Clean up" } })).answer).toBe(
      "rejected",
    );
    expect((await outcomeOf(denyRm, { updates, asked: {} })).answer).toBe("rejected");
  });

  test("a command that only a title named is denied", async () => {
    const rules = [rule("deny", { commandPrefix: "rm" }), rule("allow", {})];
    const updates = [{ tool: { toolCallId: id, title: "`rm -rf build`", kind: "execute" } }];
    const { answer } = await outcomeOf(rules, { updates, asked: run("npm test") });
    expect(answer).toBe("rejected");
  });

  test("an edit of a file other than the requested one needs permission", async () => {
    const rules = [rule("allow", { toolKind: "edit", pathGlob: "src/**" })];
    const asked = { kind: "edit", locations: [{ path: "{{cwd}}/src/a.ts" }] };
    const updates = [started({ kind: "edit" }), updated({ locations: [{ path: "/etc/passwd" }] })];
    expect((await outcomeOf(rules, { asked })).answer).toBe("allowed");
    expect((await outcomeOf(rules, { updates, asked })).answer).toBe("asked");
  });

  test("a patch needs permission if a folder that it names is a link to the outside", async () => {
    const rules = [rule("allow", { toolKind: "edit" })];
    const patch = "*** Begin Patch\n*** Update File: a/etc/passwd\n*** End Patch";
    const { answer } = await outcomeOf(rules, { asked: { kind: "edit", rawInput: { patch } } });
    expect(answer).toBe("asked");
  });

  test("a call that reuses the id of an ended one is another call", async () => {
    const rules = [rule("allow", { commandPrefix: "npm test" })];
    const ended = [started(run("rm -rf build")), updated({ status: "completed" })];
    const asked = run("npm test");
    expect((await outcomeOf(rules, { updates: ended, asked })).answer).toBe("asked");
    const updates = [...ended, started(run("npm test"))];
    expect((await outcomeOf(rules, { updates, asked })).answer).toBe("allowed");
    const tested = [started(run("npm test")), updated({ status: "completed" })];
    expect((await outcomeOf(rules, { updates: tested, asked: {} })).answer).toBe("asked");
  });

  test("a second field of the input counts", async () => {
    const rules = [rule("allow", { commandPrefix: "npm test" })];
    const asked = { kind: "execute", rawInput: { command: "npm test", script: "rm -rf build" } };
    expect((await outcomeOf(rules, { asked: run("npm test") })).answer).toBe("allowed");
    expect((await outcomeOf(rules, { asked })).answer).toBe("asked");
    const denyRm = rule("deny", { commandPrefix: "rm" });
    expect((await outcomeOf([...rules, denyRm], { asked })).answer).toBe("rejected");
  });

  test.each([
    ["npm test", "npm test -- --bail", ["npm test --prefix /elsewhere", "npm test --prefix src"]],
    ["git fetch", "git fetch origin", ["git -C /elsewhere fetch", "git -C src fetch"]],
    [
      "cargo test",
      "cargo test one",
      [
        "cargo test --manifest-path /elsewhere/Cargo.toml",
        "cargo test --manifest-path=src/Cargo.toml",
      ],
    ],
    [
      "npx jest",
      "npx jest src",
      ["npx jest --config /elsewhere/jest.config.js", "npx jest --config=src/jest.config.js"],
    ],
  ])(
    "an option that redirects the command is not covered: %s",
    async (commandPrefix, plain, others) => {
      const rules = [rule("allow", { commandPrefix })];
      const answerTo = async (command: string) =>
        (await outcomeOf(rules, { asked: run(command) })).answer;
      expect(await answerTo(plain)).toBe("allowed");
      expect(await Promise.all(others.map(answerTo))).toEqual(others.map(() => "asked"));
    },
  );
});

describe.concurrent("a call that is too large to be read completely", () => {
  const named = { kind: "other", name: "run" };
  const large = (command: string) => ({
    updates: [started(named)],
    asked: { ...named, rawInput: { command, pad: "x".repeat(100_001) } },
  });
  const allowRun = rule("allow", { toolName: "run" });
  const because = ["it runs more than can be analysed"];

  test("is allowed by no rule, and the request says why", async () => {
    const asked = { ...named, rawInput: { command: "npm test" } };
    expect((await outcomeOf([allowRun], { asked })).answer).toBe("allowed");
    expect(await outcomeOf([allowRun], large("npm test"))).toEqual({ answer: "asked", because });
    const credential = await outcomeOf([allowRun], large("cat .env"));
    expect(credential.answer).toBe("asked");
    expect(credential.because).toEqual([...because, expect.stringMatching(/\.env may hold/)]);
  });

  test("is denied if the part that was read is denied", async () => {
    const rules = [allowRun, rule("deny", { commandPrefix: "rm" })];
    expect((await outcomeOf(rules, large("rm -rf build"))).answer).toBe("rejected");
  });

  test("is not denied by a rule that may not apply, and the request says why", async () => {
    const rules = [rule("deny", { commandPrefix: "rm" })];
    expect(await outcomeOf(rules, large("npm test"))).toEqual({ answer: "asked", because });
    const elsewhere = [rule("deny", { commandPrefix: "rm", agent: "another" })];
    expect(await outcomeOf(elsewhere, large("npm test"))).toEqual({ answer: "asked", because: [] });
  });
});

describe.concurrent("protected places", () => {
  const allowAll = [rule("allow", {}), rule("allow", { toolKind: "edit", pathGlob: "**" })];
  const edit = (file: string) => ({ kind: "edit", locations: [{ path: `{{cwd}}/${file}` }] });

  test.each([
    [
      "the repository's settings",
      edit(".git/config"),
      /\.git\/config is protected \(the repository's own data/,
    ],
    ["variables", edit(".env"), /\.env may hold passwords or keys/],
    ["variables by a command", run("cat .env"), /\.env may hold passwords or keys/],
    ["a hook by a command", run("cp src/a .git/hooks/pre-commit"), /hooks\/pre-commit is /],
  ])("are never allowed by a rule, and the request says why: %s", async (_what, asked, because) => {
    const outcome = await outcomeOf(allowAll, { asked });
    expect(outcome.answer).toBe("asked");
    expect(outcome.because.join("\n")).toMatch(because);
  });

  test("other files are allowed", async () => {
    expect(await outcomeOf(allowAll, { asked: edit("src/a.ts") })).toEqual({
      answer: "allowed",
      because: [],
    });
  });
});

describe.concurrent("a call that rules match but do not cover", () => {
  test.each([
    ["npm test --prefix /tmp", ["/tmp is outside the project"]],
    ["npm test --frob", ["“npm test --frob”: the option --frob is not known"]],
    ["npm test && make all", ["no rule covers “make all”"]],
  ])("shows why it needs permission: %s", async (line, because) => {
    const outcome = await outcomeOf([rule("allow", { commandPrefix: "npm test" })], {
      asked: run(line),
    });
    expect(outcome).toMatchObject({ answer: "asked", because: expect.arrayContaining(because) });
  });
});

describe.concurrent("of the matching rules", () => {
  const npm = (decision: string, commandPrefix: string) => rule(decision, { commandPrefix });

  test.each([
    ["deny", "rejected", [npm("deny", "npm"), npm("ask", "npm test"), rule("allow", {})]],
    ["ask", "asked", [npm("ask", "npm test"), rule("allow", {}), npm("allow", "npm")]],
    ["allow", "allowed", [npm("deny", "rm"), npm("ask", "git"), npm("allow", "npm test")]],
  ])("the strictest decides, not the last: %s", async (_decision, answer, rules) => {
    expect((await outcomeOf(rules, { asked: run("npm test") })).answer).toBe(answer);
  });
});

test("the list contains notes about each rule", async () => {
  await inGateway({ agent: {} }, async (gateway) => {
    await addRules(gateway, [
      rule("deny", { commandPrefix: "npm" }),
      rule("allow", { commandPrefix: "npm test" }),
      rule("allow", { commandPrefix: "sudo" }),
      rule("allow", { toolKind: "edit" }),
    ]);
    const { json } = await ask(gateway, "GET", "/rules");
    expect(json["rules"]).toMatchObject([
      { notes: [] },
      {
        notes: [
          expect.stringMatching(/^It is never used, .* decides before it: Deny .*npm/),
          expect.stringMatching(/^Not covered: unknown options/),
        ],
      },
      { text: expect.stringMatching(/It can run any command, so it can do anything\.$/) },
      { notes: [expect.stringMatching(/^Not covered: protected files/)] },
    ]);
  });
});
