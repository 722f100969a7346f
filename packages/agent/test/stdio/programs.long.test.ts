import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.ts";

const stored = ".config/landline/agent-credentials.json";

async function run(
  args: readonly string[],
  { input = "", ...environment }: Record<string, string> = {},
): Promise<AgentProcess & { code: number | null; printed: string }> {
  const agent = await AgentProcess.start(args, environment, "text");
  agent.child.stdin.end(input);
  const { code } = await agent.ended;
  return Object.assign(agent, { code, printed: agent.lines.join("\n") });
}

test("help and usage errors are printed, with the usual exit codes", async () => {
  await using help = await run(["--help"]);
  expect(help.code).toBe(0);
  expect(help.printed).toContain("landline agent login");
  for (const args of [["--no-such"], ["dance"], ["--port", "many"], ["--host", "::1"]]) {
    await using wrong = await run(args);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).not.toBe("");
    expect(wrong.printed).toBe("");
  }
});

test("a key from standard input is stored privately, and is never printed", async () => {
  await using login = await run(["login", "anthropic"], { input: "sk-ant-secret\n" });
  expect(login.code).toBe(0);
  const file = join(login.home, stored);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).toContain("sk-ant-secret");
  expect(login.stderr + login.printed).not.toContain("sk-ant");

  const home = { HOME: login.home };
  await using doctor = await run(["doctor"], home);
  expect(doctor.code).toBe(0);
  expect(doctor.printed).toContain("Anthropic by the stored keys");
  expect(doctor.printed).not.toContain("sk-ant");
  await using models = await run(["models"], home);
  expect(models.printed).toMatch(/^\* anthropic\/claude/m);

  await using other = await run(["logout", "openai"], home);
  expect(other.stderr).toContain("No key of OpenAI is stored");
  await using logout = await run(["logout"], { ...home, ANTHROPIC_API_KEY: "sk-ant-other" });
  expect(logout.code).toBe(0);
  expect(logout.stderr).toContain("Removed: Anthropic.");
  expect(logout.stderr).toContain("ANTHROPIC_API_KEY");
  expect(await readFile(file, "utf8")).not.toContain("sk-ant");
});

test.each([
  ["no provider", ["login"], "key"],
  ["an unknown provider", ["login", "nobody"], "key"],
  ["no key", ["login", "anthropic"], ""],
  ["an invalid key", ["login", "anthropic"], "two words"],
])("%s is refused, and nothing is stored", async (_what, args, input) => {
  await using login = await run(args, { input });
  expect(login.code).toBe(2);
  expect(login.stderr).not.toBe("");
  await expect(stat(join(login.home, stored))).rejects.toThrow("ENOENT");
});

test("a damaged key file is reported, and not overwritten", async () => {
  await using first = await run(["models"]);
  const file = join(first.home, stored);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, "not JSON");
  const home = { HOME: first.home };
  await using login = await run(["login", "anthropic"], { ...home, input: "sk-1" });
  expect(login.code).toBe(1);
  expect(login.stderr).toContain(file);
  expect(await readFile(file, "utf8")).toBe("not JSON");
  await using doctor = await run(["doctor"], home);
  expect(doctor.code).toBe(1);
  expect(doctor.printed).toMatch(/^✗ models: .*agent-credentials/m);
});

test("the doctor reports its findings as text and as JSON", async () => {
  await using first = await run(["doctor"]);
  expect(first.code).toBe(0);
  expect(first.printed).toContain("Demo");
  for (const check of ["1. named model", "2. keys", "3. servers", "config", "data folder", "git"]) {
    expect(first.printed).toContain(`✓ ${check}`);
  }
  const config = JSON.stringify({ local_providers: false, model: "openai/gpt-6-luna", agent: 5 });
  await using second = await run(["doctor", "--json"], {
    OPENAI_API_KEY: "sk-very-secret",
    LANDLINE_AGENT_CONFIG_CONTENT: config,
  });
  expect(second.code).toBe(1);
  const findings = second.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "model", model: "openai/gpt-6-luna" }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "2. keys",
      keys: [{ provider: "openai", from: "OPENAI_API_KEY" }],
    }),
  );
  expect(findings).toContainEqual(expect.objectContaining({ check: "config", ok: false }));
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "search", version: expect.stringContaining("ripgrep") }),
  );
  expect(second.printed).not.toContain("very-secret");
});

test("models are listed one per line as JSON", async () => {
  await using models = await run(["models", "--json", "--model", "demo/guide"]);
  const list = models.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(list).toMatchObject([{ id: "demo/guide", default: true }]);
});
