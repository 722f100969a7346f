import { mkdir, readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

describe("without a gateway", () => {
  it("starts its own gateway, prints the answer to stdout, and leaves nothing behind", async () => {
    const ended = await home.landline("run", "hello");
    expect(ended).toEqual({ code: 0, stdout: "Hello yourself.\n", stderr: "A greeting.\n" });
    expect(await home.gatewayFile()).toBeNull();
    expect(await readdir(home.data)).not.toContain("owner.json");
  });

  it("accepts an agent from the command line, and works in the given folder", async () => {
    const { command, args } = home.agent("mine");
    await mkdir(home.path("project"));
    const line = `mine=${[command, ...args].map((word) => `'${word}'`).join(" ")}`;
    const ended = await home.landline(
      "run",
      "hello",
      "--agent",
      line,
      "--cwd",
      "project",
      "--json",
    );
    expect(ended.code).toBe(0);
    const lines = ended.stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(lines[0]).toEqual({ sessionId: expect.any(String) });
    expect(lines[1]).toMatchObject({
      seq: 1,
      kind: "session-opened",
      agent: "mine",
      cwd: home.path("project"),
    });
    expect(lines.at(-2)).toMatchObject({ kind: "turn-ended", stopReason: "end_turn" });
    expect(lines.at(-1)).toEqual({ ...lines[0], stopReason: "end_turn", exitCode: 0 });
    const numbers = lines.slice(1, -1).map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it("reads the prompt from stdin", async () => {
    const running = home.start(["run", "--quiet"]);
    running.child.stdin.end("hello\nthere");
    expect(await running.ended).toEqual({ code: 0, stdout: "Hello yourself.\n", stderr: "" });
  });

  it("prints a text completely that was too long for a line of the log", async () => {
    const { stdout, code } = await home.landline("run", "long", "--quiet");
    expect(code).toBe(0);
    expect(stdout).toBe(`${"x".repeat(300_000)}\n`);
  });
});

describe("the exit code", () => {
  it.each([
    ["limit", 5, "Half of\n", "max_tokens"],
    ["refuse", 3, "No.\n", "refusal"],
    ["crash", 1, "Ouch\n", "ended with code 3"],
  ])("of %s is %i", async (prompt, code, stdout, stderr) => {
    const ended = await home.landline("run", prompt, "--quiet");
    expect(ended).toEqual({ code, stdout, stderr: expect.stringContaining(stderr) });
  });

  it.each([
    [["run"], "The prompt is empty"],
    [["run", "hello", "--agent", "nobody"], 'There is no agent "nobody"'],
    [["run", "hello", "--allow", "everything"], "is not a rule"],
    [["run", "hello", "--session", "nothing"], "There is no such session"],
    [["run", "hello", "--loud"], "unknown option"],
    [["run", "hello", "there"], "too many arguments"],
    [["run", "hello", "--config", "missing.json"], "there is no such file"],
    [["dance"], "unknown command"],
  ])("of %j is 2, with the reason", async (args, reason) => {
    const ended = await home.landline(...args);
    expect(ended).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(reason) });
  });

  it("is 1 for an agent that does not start, with its output", async () => {
    const agent = `bad=${process.execPath} -e "console.error('no key');process.exit(7)"`;
    const ended = await home.landline("run", "hello", "--agent", agent);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("no key") });
  });
});

describe("a permission request", () => {
  it("is rejected if nobody can be asked, and the exit code says so", async () => {
    const ended = await home.landline("run", "ask");
    expect(ended).toEqual({
      code: 3,
      stdout: "It was refused.\n",
      stderr: expect.stringMatching(/Permission for Do tests: npm test[^]*nobody is here to ask/),
    });
  });

  it("is allowed by --yes", async () => {
    expect(await home.landline("run", "ask", "--yes")).toMatchObject({
      code: 0,
      stdout: "It was allowed.\n",
    });
  });

  it("is allowed by a matching rule, for this session only", async () => {
    const { url, token } = await home.serve();
    expect(
      await home.landline("run", "ask", "--allow", "read", "--allow", "execute:npm test"),
    ).toMatchObject({
      code: 0,
      stdout: "It was allowed.\n",
      stderr: expect.stringContaining("answered by a rule"),
    });
    expect(await home.landline("run", "ask", "--allow", "execute:npm run")).toMatchObject({
      code: 3,
    });
    const rules = await fetch(`${url}/api/rules`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await rules.json()).toEqual({ rules: [], damage: null });
  });
});

describe("a permission request of the built-in agent", () => {
  const runTests = (...args: string[]) =>
    home.landline("run", "run npm test", "--agent", "landline", ...args);

  it("is allowed by a rule for that command, and not by one for another", async () => {
    const manifest = { scripts: { test: "node -e 'process.exit(0)'" } };
    await writeFile(home.path("package.json"), JSON.stringify(manifest));
    expect(await runTests("--allow", "execute:npm test")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("answered by a rule"),
    });
    expect(await runTests("--allow", "execute:npm install")).toMatchObject({ code: 3 });
  });
});

describe("Ctrl-C", () => {
  it("cancels the turn, and the exit code says so", async () => {
    const running = home.start(["run", "wait"]);
    await running.printed("stdout", "Working");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 4,
      stdout: "Working\n",
      stderr: expect.stringContaining("Cancelling"),
    });
  });

  it("twice does not wait for an agent that does not stop", async () => {
    const stubborn = {
      about: "Does not stop.",
      turns: [{ steps: [{ say: "Working" }, { silence: "forever" }] }],
    };
    await writeFile(home.path("scenario.json"), JSON.stringify(stubborn));
    const running = home.start(["run", "anything"]);
    await running.printed("stdout", "Working");
    running.child.kill("SIGINT");
    await running.printed("stderr", "Cancelling");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 4 });
    expect(await home.gatewayFile()).toBeNull();
  });
});

describe("with a gateway", () => {
  it("uses it, closes its session, and continues an existing one", async () => {
    const { url, token } = await home.serve();
    expect(await home.landline("run", "hello")).toMatchObject({
      code: 0,
      stdout: "Hello yourself.\n",
    });
    expect(await home.landline("run", "limit", "--session", "last", "--quiet")).toMatchObject({
      code: 5,
      stdout: "Half of\n",
    });
    const reply = await fetch(`${url}/api/sessions`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { sessions } = (await reply.json()) as { sessions: { closedAt: number | null }[] };
    expect(sessions).toHaveLength(1);
  });

  it("accepts no agent from the command line", async () => {
    await home.serve();
    expect(await home.landline("run", "hello", "--agent", "x=y")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is already running"),
    });
  });
});
