import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isSkipped } from "../../sandbox/test/skipped.ts";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
  await writeFile(home.path("config.json"), JSON.stringify({ port: 0 }));
  await mkdir(home.path("project"));
});
afterEach(() => home[Symbol.asyncDispose]());

test("the built-in agent is first in the list, whatever is installed", async () => {
  const { code, stdout } = await home.landline("agents", "--json");
  const [first = ""] = stdout.split("\n");
  expect(JSON.parse(first)).toMatchObject({
    id: "landline",
    name: "Landline",
    found: true,
    how: "built in",
  });
  expect(code).toBe(0);
});

test("a run without an agent uses the built-in one, through a gateway", async () => {
  const { code, stdout, stderr } = await home.landline(
    "run",
    "--cwd",
    home.path("project"),
    "--allow",
    "edit:**",
    "create a.txt: apples then plan: eat",
  );
  expect(stderr).toContain("a.txt");
  expect(stdout).toContain("demo model");
  expect(code).toBe(0);
  expect(await readFile(home.path("project/a.txt"), "utf8")).toBe("apples\n");
});

test("an agent of the config is the default instead of it", async () => {
  const agents = [home.agent("mine")];
  await writeFile(home.path("config.json"), JSON.stringify({ port: 0, agents }));
  const { stdout } = await home.landline("run", "hello", "--quiet");
  expect(stdout).toBe("Hello yourself.\n");
});

test("the next gateway continues its session", async () => {
  await home.landline("run", "think of apples", "--quiet");
  const { code, stdout } = await home.landline(
    "run",
    "--session",
    "last",
    "think again",
    "--quiet",
  );
  expect(code).toBe(0);
  expect(stdout).not.toBe("");
});

test("its own options and commands are passed on", async () => {
  const help = await home.landline("agent", "--help");
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("landline agent doctor");
  const models = await home.landline("agent", "models", "--json", "--model", "demo/guide");
  expect(models.stdout).toContain('"demo/guide"');
  expect((await home.landline("agent", "--no-such")).code).toBe(2);
  expect((await home.landline("--help")).stdout).toMatch(/^ +agent /m);
});

test("at a TCP address with a token, it is an ordinary agent", async () => {
  const remote = home.start(["agent", "--port", "0"]);
  const { port, token } = JSON.parse(await remote.printed("stdout", "\n")) as {
    port: number;
    token: string;
  };
  const far = { id: "far", endpoint: `tcp://127.0.0.1:${port}` };
  const write = (agents: object[]) =>
    writeFile(home.path("config.json"), JSON.stringify({ port: 0, agents }));
  await write([{ ...far, token }]);
  const ran = await home.landline("run", "--cwd", home.path("project"), "think of it", "--quiet");
  expect(ran).toMatchObject({ code: 0 });
  expect((await home.landline("config", "show")).stdout).not.toContain(token);

  await write([{ ...far, token: "wrong" }]);
  const refused = await home.landline("run", "--cwd", home.path("project"), "hello");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("token");
  expect(refused.stderr).not.toContain("wrong-");
});

test.skipIf(isSkipped)("`--yes` lets none of its commands out of the sandbox", async () => {
  await mkdir(home.path("outside"));
  await writeFile(home.path("project/out.sh"), "echo x > ../outside/x\n");
  const { code, stderr } = await home.landline(
    "run",
    "--cwd",
    home.path("project"),
    "--yes",
    "run sh out.sh",
  );
  expect(stderr).toContain("Only a person can let a command out of the sandbox");
  expect(code).toBe(3);
  expect(await readdir(home.path("outside"))).toEqual([]);
});
