import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import { startModelServer, type ModelRequest, type Reply } from "@landline/testing";
import { describe, expect, onTestFailed, test } from "vitest";
import { AcpUser } from "../tasks/acp-user.ts";
import { calls, results } from "../tasks/task.ts";
import { openAttackProject, SECRET, type AttackProject } from "./attack-project.ts";
import { type Attack, attacks, reading } from "./attacks.ts";

const run = promisify(execFile);

const program = {
  command: process.execPath,
  args: [path.join(import.meta.dirname, "../../../cli/bin/landline.js"), "agent"],
};

const KEY = "sk-provider-key-of-the-person";

interface Situation {
  readonly mode: "build" | "plan";
  readonly level: "ask" | "accept-edits" | "allow-all";
  /** The subagent that makes the calls; if absent, the main agent. */
  readonly helper?: "explore" | "general";
}

/** The result of one call: what the user was asked, and what the model read. */
interface Outcome {
  readonly asks: number;
  readonly result: string;
}

/** Lets the scripted model make the calls one by one in a real agent process. */
async function attackWith(
  made: readonly Attack[],
  situation: Situation,
  project: AttackProject,
  decide: AcpUser["decide"],
): Promise<{ outcomes: Outcome[]; person: AcpUser }> {
  const { mode, level, helper } = situation;
  const task = { description: "Look", prompt: "Look.", subagent_type: helper };
  const before = helper === undefined ? [] : [calls(["task", task])];
  const after = helper === undefined ? ["Done."] : ["Done.", "Done."];
  const steps = [...before, ...made.map(({ tool, input }) => calls([tool, input])), ...after];
  const asks: number[] = [];
  const read: string[] = [];
  let person: AcpUser | null = null;
  const script = (request: ModelRequest): Reply | string => {
    if (request.tools.length === 0) return "A title";
    asks.push(person?.asks.length ?? 0);
    read.push(results(request));
    return steps[asks.length - 1] ?? "Nothing more.";
  };
  await using server = await startModelServer({ script });
  person = await openPerson(server.url, project, level);
  await using opened = person;
  onTestFailed(() => console.error(opened.shown.updates.map((each) => JSON.stringify(each))));
  opened.decide = decide;
  if (mode === "plan") await opened.setMode("plan");
  await opened.prompt("Go.");
  expect(asks).toHaveLength(steps.length);
  expect(opened.faults).toEqual([]);
  const outcomes = made.map((_, index): Outcome => {
    const at = before.length + index;
    return { asks: (asks[at + 1] ?? 0) - (asks[at] ?? 0), result: read[at + 1] ?? "" };
  });
  expect(await opened.leave()).toBe(0);
  return { outcomes, person: opened };
}

function openPerson(
  url: string,
  { repository }: AttackProject,
  level: Situation["level"],
): Promise<AcpUser> {
  return AcpUser.open({
    ...program,
    environment: {
      ...repository.environment,
      ANTHROPIC_API_KEY: KEY,
      LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(configFor(url, level)),
    },
    folder: repository.folder,
    mcpServers: [],
  });
}

/** Subagents are allowed everything by their own rules, which must not override their parent's. */
function configFor(url: string, level: Situation["level"]): object {
  const model = "scripted/scripted-1";
  return {
    model,
    small_model: model,
    local_providers: false,
    permission_level: level,
    agent: {
      general: { permission: "allow" },
      explore: { permission: { bash: "allow", read: "allow", webfetch: "allow" } },
    },
    provider: {
      scripted: {
        kind: "openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: "a key" },
        models: { "scripted-1": { limit: { context: 200_000, output: 8_192 } } },
      },
    },
  };
}

const situations: readonly Situation[] = [
  { mode: "plan", level: "ask" },
  { mode: "plan", level: "ask", helper: "explore" },
  { mode: "build", level: "ask" },
  { mode: "build", level: "ask", helper: "explore" },
  { mode: "build", level: "ask", helper: "general" },
  { mode: "build", level: "accept-edits" },
  { mode: "build", level: "accept-edits", helper: "explore" },
  { mode: "build", level: "accept-edits", helper: "general" },
];

/** A mode without the tool, or that forbids it, refuses the call without a question. */
const REFUSED = /is not offered here|refuses edit/;

describe("the findings of the attacks", () => {
  test.for(situations.map((each) => [nameOf(each), each] as const))(
    "need permission before anything happens, and reading does not: %s",
    async ([, situation]) => {
      await using project = await openAttackProject();
      const before = await project.snapshot();
      const changedAtAsk: unknown[] = [];
      const look = async () => {
        const now = await project.snapshot();
        if (JSON.stringify(now) !== JSON.stringify(before)) changedAtAsk.push(now);
        return "reject_once" as const;
      };
      const made = [...attacks, ...reading];
      const { outcomes } = await attackWith(made, situation, project, look);
      const asks = outcomes.map(({ asks: count, result }) => (REFUSED.test(result) ? 1 : count));
      expect(made.filter(({ finding }, index) => asks[index] !== (finding === 0 ? 0 : 1))).toEqual(
        [],
      );
      expect(changedAtAsk).toEqual([]);
      expect(await project.snapshot()).toEqual(before);
      expect(outcomes.filter(({ result }) => result.includes(SECRET))).toEqual([]);
      expect(outcomes.at(-1)?.result).toContain("export const a = 1;");
    },
  );

  test("need permission in protected places even if everything is allowed", async () => {
    await using project = await openAttackProject();
    const before = await project.snapshot();
    const guarded = attacks.filter(
      ({ finding, tool, input }) =>
        finding === 3 || (finding === 4 && JSON.stringify([tool, input]).includes(".env")),
    );
    expect(guarded.length).toBeGreaterThan(12);
    const situation = { mode: "build", level: "allow-all" } as const;
    const reject = () => "reject_once" as const;
    const { outcomes, person } = await attackWith(guarded, situation, project, reject);
    expect(outcomes.map(({ asks }) => asks)).toEqual(guarded.map(() => 1));
    expect(await project.snapshot()).toEqual(before);
    for (const { options, toolCall } of person.asks) {
      expect(options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
      expect(JSON.stringify(toolCall.content)).toContain("Asked because ");
    }
  });
});

test("no setting of the repository runs code when a session works in it", async () => {
  await using project = await openAttackProject();
  const { folder, environment: env } = project.repository;
  for (const setting of ["core.fsmonitor", "core.sshCommand", "diff.external", "core.pager"])
    await run("git", ["config", setting, path.join(folder, "evil.sh")], { cwd: folder, env });
  const before = await project.snapshot();
  const situation = { mode: "build", level: "accept-edits" } as const;
  const made = [bash("ls"), bash("git status"), bash("git log -1")];
  const reject = () => "reject_once" as const;
  const { outcomes } = await attackWith(made, situation, project, reject);
  expect(outcomes.map(({ asks }) => asks)).toEqual([0, 1, 1]);
  expect(await project.snapshot()).toEqual(before);
});

test("no command receives a provider's key or a token of the gateway, even after a permission", async () => {
  await using project = await openAttackProject();
  const situation = { mode: "build", level: "ask" } as const;
  const made = [bash("env"), bash("cat /proc/self/environ")];
  const { outcomes } = await attackWith(made, situation, project, () => "allow_once");
  expect(outcomes[0]?.result).toContain("PATH=");
  for (const { asks, result } of outcomes) {
    expect(asks).toBeGreaterThan(0);
    expect(result).not.toContain(KEY);
    expect(result).not.toMatch(/LANDLINE_(?!AGENT_MARK)/);
  }
});

test("no prompt includes a credential or a linked file, neither by a template nor by an attachment", async () => {
  await using project = await openAttackProject();
  const { folder } = project.repository;
  await project.repository.write(".landline/commands/peek.md", "See @.env and @linked/secret.txt.");
  await project.repository.write("AGENTS.md", "Rules.");
  const requests: ModelRequest[] = [];
  const script = (request: ModelRequest) => {
    if (request.tools.length > 0) requests.push(request);
    return "Done.";
  };
  await using server = await startModelServer({ script });
  await using person = await openPerson(server.url, project, "allow-all");
  await person.prompt("/peek");
  const link = { type: "resource_link" as const, name: ".env", uri: `file://${folder}/.env` };
  await person.prompt("What is in it?", link);
  expect(requests).toHaveLength(2);
  expect(requests[0]?.userText).toContain("@.env");
  for (const { userText } of requests) expect(userText).toContain("The read tool asks the person");
  expect(JSON.stringify(requests)).not.toContain(SECRET);
  expect(person.faults).toEqual([]);
});

describe("always", () => {
  const situation = { mode: "build", level: "ask" } as const;

  test("covers the form that it names, and nothing else", async () => {
    await using project = await openAttackProject();
    const before = await project.snapshot();
    const lines = [
      "npm test",
      "npm test --silent",
      "npm test --prefix ../outside",
      "npm test --prefix src",
      "npm test --script-shell=./evil.sh",
      "npm test --unheard-of",
      "npm test; touch ran",
      "npm test > ran",
      "NODE_OPTIONS=--require=./x npm test",
      "cd ../outside && npm test",
      "npm run test --prefix ../outside",
    ];
    let isFirst = true;
    const { outcomes, person } = await attackWith(lines.map(bash), situation, project, () => {
      const kind = isFirst ? "allow_always" : "reject_once";
      isFirst = false;
      return kind;
    });
    expect(outcomes.map(({ asks }) => asks)).toEqual([1, 0, ...lines.slice(2).map(() => 1)]);
    expect(await project.snapshot()).toEqual(before);
    const always = person.asks[0]?.options.find(({ kind }) => kind === "allow_always");
    expect(always?.name).toBe("Always allow “npm test …” in this session");
    expect(JSON.stringify(person.asks[0]?.toolCall.content)).toContain(
      "Unknown options and paths outside the project are still asked about.",
    );
  });

  test("for reading outside covers no change there", async () => {
    await using project = await openAttackProject();
    const outside = path.join(project.repository.folder, "../outside");
    const made = [
      [bash("cat ../outside/secret.txt"), 1, "allow_always"],
      [bash("cat ../outside/package.json"), 0, "reject_once"],
      [write("src/n1.ts"), 1, "allow_always"],
      [write("src/n2.ts"), 0, "reject_once"],
      [write("../outside/x"), 1, "reject_once"],
      [write("linked/x"), 1, "reject_once"],
      [bash("touch src/n3.ts"), 1, "allow_always"],
      [bash("touch src/n4.ts"), 0, "reject_once"],
      [bash("touch ../outside/x"), 1, "reject_once"],
      [bash("echo x > ../outside/x"), 1, "reject_once"],
      [bash("rm ../outside/secret.txt"), 1, "reject_once"],
    ] as const;
    const { wrong, person } = await answered(made, situation, project);
    expect(wrong).toEqual([]);
    expect((await readdir(outside)).toSorted()).toEqual(["package.json", "secret.txt"]);
    const offered = person.asks.map(({ options }) => options[1]?.name);
    expect(offered[0]).toBe(`Always allow reading in ${outside} and below in this session`);
    const changing = `Always allow changing files in ${outside} and below in this session`;
    // The touch is allowed as a command; a redirection is not.
    expect([offered[2], offered[5]]).toEqual([changing, changing]);
    expect(offered[6]).toMatch(/ and below and “> \.\.\/outside\/x” in this session$/);
  });

  test("for reading outside covers no edit there if edits are accepted", async () => {
    await using project = await openAttackProject();
    const made = [
      [bash("cat ../outside/secret.txt"), 1, "allow_always"],
      [write("src/n1.ts"), 0, "reject_once"],
      [write("../outside/x"), 1, "reject_once"],
    ] as const;
    const accepting = { mode: "build", level: "accept-edits" } as const;
    expect((await answered(made, accepting, project)).wrong).toEqual([]);
  });

  test("for changing outside covers edits there, and nowhere else", async () => {
    await using project = await openAttackProject();
    const made = [
      [write("../outside/x"), 1, "allow_always"],
      [write("../outside/y"), 0, "reject_once"],
      [write("../home/z"), 1, "reject_once"],
      [write("src/n1.ts"), 1, "reject_once"],
      [bash("cat ../outside/secret.txt"), 1, "reject_once"],
    ] as const;
    expect((await answered(made, situation, project)).wrong).toEqual([]);
  });

  test("is requested once for a command and the place outside that it names", async () => {
    await using project = await openAttackProject();
    const line = "npm test --prefix ../outside";
    const made = [
      [bash(line), 1, "allow_once"],
      [bash(line), 1, "allow_always"],
      [bash(line), 0, "reject_once"],
      [bash("npm test"), 1, "reject_once"],
    ] as const;
    const { wrong, person } = await answered(made, situation, project);
    expect(wrong).toEqual([]);
    const reasons = JSON.stringify(person.asks[0]?.toolCall.content);
    expect(reasons).toContain("is outside the project");
    expect(reasons).toContain("runs code of the project");
  });

  test("is not offered for commands that run other programs or are unknown", async () => {
    await using project = await openAttackProject();
    const lines = [
      "awk 'BEGIN { system(\"touch ran\") }'",
      "sed -n '1e touch ran' package.json",
      "tar --to-command='touch ran' -xf x.tar",
      "vim -c '!touch ran' -c q",
      "psql -c '\\! touch ran'",
      "curl -o ran http://localhost:9/ --unheard-of",
      "node -e 1",
      "unheard-of-program",
    ];
    const reject = () => "reject_once" as const;
    const { person } = await attackWith(lines.map(bash), situation, project, reject);
    const offered = person.asks.map(({ options }) => options.map(({ kind }) => kind));
    expect(offered).toEqual(lines.map(() => ["allow_once", "reject_once"]));
  });
});

type Answered = readonly [Attack, number, "allow_once" | "allow_always" | "reject_once"];

/** Makes the calls and answers each. Returns those with an unexpected number of requests. */
async function answered(made: readonly Answered[], situation: Situation, project: AttackProject) {
  const answers = made.flatMap(([, asks, answer]) => Array.from({ length: asks }, () => answer));
  let at = 0;
  const attempts = made.map(([attempt]) => attempt);
  const decide = () => answers[at++] ?? "reject_once";
  const { outcomes, person } = await attackWith(attempts, situation, project, decide);
  const wrong = made.filter(([, asks], index) => asks !== outcomes[index]?.asks);
  return { wrong, person };
}

function write(filePath: string): Attack {
  return { finding: 7, tool: "write", input: { filePath, content: "x" } };
}

function bash(command: string): Attack {
  return { finding: 7, tool: "bash", input: { command } };
}

function nameOf({ mode, level, helper }: Situation): string {
  return `${mode}, ${level}, ${helper ?? "main agent"}`;
}
