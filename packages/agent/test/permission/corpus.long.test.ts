import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Judge, type Line, openJudge, type LineContext, type Verdict } from "@landline/shell";
import {
  type CorpusLine,
  type Fixture,
  hostileCorpus,
  hostileProject,
  ordinaryCorpus,
  ordinaryProject,
  wideningCorpus,
} from "@landline/shell/corpus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import type { PermissionLevel } from "../../src/config/permission-level.ts";
import { openProject } from "../../src/config/project.ts";
import { subagentsOf } from "../../src/core/subagents.ts";
import type { Rule } from "../../src/permission/rule.ts";
import { openSessionStore } from "../../src/session/jsonl-store.ts";
import type { SessionStore } from "../../src/session/store.ts";
import { createBashTool } from "../../src/tools/bash.ts";
import { createTaskTool } from "../../src/tools/task.ts";
import { openWorkspace, type OwnedWorkspace } from "../../src/workspace/open-workspace.ts";
import { calls, SessionFixture, says } from "../core/session-fixture.ts";

/** A project for the corpora, with the agent's default configuration and tools; nothing is run. */
class Stage implements AsyncDisposable {
  readonly #store: SessionStore;
  readonly #data: string;
  readonly #fixture: Fixture;
  readonly #workspace: OwnedWorkspace;
  readonly #config: Config;
  readonly #judge: Judge;

  private constructor(fixture: Fixture, data: string, config: Config, judge: Judge) {
    this.#fixture = fixture;
    this.#data = data;
    this.#store = openSessionStore(data);
    this.#config = config;
    this.#judge = judge;
    const { project: cwd } = fixture;
    const opened = openWorkspace({ client: null, sessionId: "s", cwd, directories: [] });
    // A command that starts needed no permission; nothing else is tested.
    const start = () => Promise.reject(new Error("started"));
    this.#workspace = Object.assign(Object.create(opened) as OwnedWorkspace, { start });
  }

  static async open(fixture: Fixture): Promise<Stage> {
    const { project: cwd, home } = fixture;
    const { config } = await openProject({ cwd, home, directories: [], environment: {} });
    const judge = remembering(await openJudge(home));
    return new Stage(fixture, await mkdtemp(join(tmpdir(), "landline-corpus-")), config, judge);
  }

  /** The lines that need permission when the model calls the bash tool with each of them. */
  async asked(lines: readonly string[], given: Situation): Promise<Set<string>> {
    const made = calls(...lines.map((command) => ({ tool: "bash", input: { command } })));
    const { helper } = given;
    const task = { description: "Run", prompt: "Run all of it.", subagent_type: helper };
    const replies =
      helper === undefined
        ? [made, says("Done.")]
        : [calls({ tool: "task", input: task }), made, says("Done."), says("Done.")];
    const outputs = join(this.#data, "outputs");
    const bash = createBashTool(outputs, () => Promise.resolve(this.#judge));
    const rig = new SessionFixture({
      replies,
      config: this.#config,
      parts: {
        workspace: this.#workspace,
        subagents: (session) => subagentsOf(this.#store, session),
        toolsFor: ({ subagents }) =>
          Promise.resolve([bash, ...(subagents ? [createTaskTool(subagents)] : [])]),
      },
    });
    rig.decide = () => Promise.resolve({ answer: "reject" });
    rig.session.choose({ mode: given.mode, permissions: given.level });
    if (given.approved) rig.session.append({ kind: "rule-approved", rules: [...given.approved] });
    await rig.prompt("Go");
    return askedIn(rig, lines);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#data, { recursive: true, force: true });
    await this.#fixture[Symbol.asyncDispose]();
  }
}

interface Situation {
  readonly mode: "build" | "plan";
  readonly level: PermissionLevel;
  /** The subagent that calls the tool. */
  readonly helper?: "explore" | "general";
  readonly approved?: readonly Rule[];
}

/** Each call ended in one of two ways: rejected by the person, or started. */
function askedIn(rig: SessionFixture, lines: readonly string[]): Set<string> {
  const commands = new Map<string, string>();
  const endings = new Map<string, string>();
  for (const event of rig.events) {
    if (event.kind === "tool-called" && event.tool === "bash")
      commands.set(event.callId, (event.input as { command: string }).command);
    const command = event.kind === "tool-ended" ? commands.get(event.callId) : undefined;
    if (event.kind !== "tool-ended" || command === undefined) continue;
    endings.set(command, event.reason === "rejected" ? "asked" : event.output);
  }
  const others = lines.filter((line) => !["asked", STARTED].includes(endings.get(line) ?? ""));
  expect(others.map((line) => [line, endings.get(line)])).toEqual([]);
  return new Set(lines.filter((line) => endings.get(line) === "asked"));
}

const STARTED = "It failed: started";

/** Each line is analysed once: the configurations differ in rules, not in what a line does. */
function remembering(judge: Judge): Judge {
  const verdicts = new Map<Line, Promise<Verdict>>();
  return {
    analyse: (line) => judge.analyse(line),
    judge(line: Line, context: LineContext) {
      const verdict = verdicts.get(line) ?? judge.judge(line, context);
      verdicts.set(line, verdict);
      return verdict;
    },
  };
}

const situations: readonly Situation[] = [
  { mode: "build", level: "ask" },
  { mode: "build", level: "ask", helper: "explore" },
  { mode: "build", level: "ask", helper: "general" },
  { mode: "plan", level: "ask" },
  { mode: "plan", level: "ask", helper: "explore" },
  { mode: "build", level: "accept-edits" },
  { mode: "build", level: "accept-edits", helper: "explore" },
  { mode: "build", level: "accept-edits", helper: "general" },
];

function nameOf({ mode, level, helper }: Situation): string {
  return `${mode}, ${level}, ${helper ?? "main agent"}`;
}

describe.each([
  ["ordinary", ordinaryProject, ordinaryCorpus],
  ["hostile", hostileProject, hostileCorpus],
] as const)("the corpus of %s lines", (_, openFixture, corpusOf) => {
  let stage: Stage;
  let corpus: readonly CorpusLine[];
  beforeAll(async () => {
    const fixture = await openFixture();
    corpus = corpusOf(fixture);
    stage = await Stage.open(fixture);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(situations.map((situation) => [nameOf(situation), situation] as const))(
    "needs permission as recorded: %s",
    async (_name, situation) => {
      // An empty line is refused before it is analysed.
      const lines = corpus.filter(({ line }) => line.trim() !== "");
      const asked = await stage.asked(
        lines.map(({ line }) => line),
        situation,
      );
      const wrong = lines.filter(({ line, verdict }) => asked.has(line) !== (verdict === "ask"));
      expect(wrong.map(({ line, verdict }) => `must be ${verdict}: ${line}`)).toEqual([]);
    },
    60_000,
  );

  test.each(["explore", undefined] as const)(
    "needs permission at allow-all if it names a credential or a protected place: %s",
    async (helper) => {
      const lines = corpus.filter(({ reasons }) => reasons.some((code) => special.has(code)));
      const asked = await stage.asked(
        lines.map(({ line }) => line),
        { mode: "build", level: "allow-all", ...(helper && { helper }) },
      );
      const unasked = lines.filter(({ line }) => !asked.has(line)).map(({ line }) => line);
      expect(lines.length).toBeGreaterThan(5);
      expect(unasked).toEqual([]);
    },
    60_000,
  );
});

/** Only a person allows these, whatever level is chosen. */
const special = new Set(["credential", "protected"]);

describe("approvals", () => {
  let stage: Stage;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await ordinaryProject();
    stage = await Stage.open(fixture);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("allow what the corpus of widenings records, and nothing else", async () => {
    const pairs = wideningCorpus(fixture);
    const wrong: string[] = [];
    for (const [allowed, group] of Map.groupBy(pairs, (pair) => pair.allowed)) {
      const lines = group.map(({ line }) => line);
      const approved: Rule[] = [{ permission: "bash", pattern: `${allowed} *`, action: "allow" }];
      const asked = await stage.asked(lines, { mode: "build", level: "ask", approved });
      for (const { line, covered } of group) {
        if (asked.has(line) === covered)
          wrong.push(`${allowed} must ${covered ? "" : "not "}cover: ${line}`);
      }
    }
    expect(pairs.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });
});
