import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentList } from "../server/services.ts";
import { createCatalog, type CatalogOptions } from "./catalog.ts";
import { knownAgents } from "./known-agents.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landline-catalog-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function install(path: string, mode = 0o755): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, mode);
  return file;
}

function catalogOf(options: Partial<CatalogOptions> = {}) {
  const environment = { HOME: home, PATH: `relative:${home}/bin:${home}/other` };
  return createCatalog({ config: [], environment, ...options });
}

const row = async (
  catalog: Pick<AgentList, "list">,
  id: string,
): Promise<AgentSummary | undefined> => (await catalog.list()).find((agent) => agent.id === id);

test("nothing is installed: all known agents are listed, with the searched places", async () => {
  const catalog = catalogOf();
  const list = await catalog.list();
  expect(list.filter(({ found }) => found)).toEqual([]);
  expect(list.map(({ id }) => id)).toEqual(knownAgents.map(({ id }) => id));
  const gemini = await row(catalog, "gemini");
  expect(gemini).toMatchObject({
    name: "Gemini CLI",
    found: false,
    signedIn: null,
    canSignOut: null,
    keys: null,
    progress: null,
  });
  expect(gemini?.how).toMatch(/^Not found: looked for gemini in .*bin, .*Install it with: npm/);
  expect(gemini?.how).toContain(`${home}/.local/bin`);
  expect(gemini?.how).not.toContain("relative");
});

test("an agent on the PATH is found", async () => {
  const path = await install("other/gemini");
  const catalog = catalogOf({
    policy: { gemini: { withhold: { files: true, terminals: false } } },
  });
  expect(catalog.get("gemini")).toEqual({
    kind: "process",
    id: "gemini",
    name: "Gemini CLI",
    command: path,
    args: ["--acp"],
    env: {},
    withhold: { files: true, terminals: false },
    quirks: { missingFileIsEmpty: true, relativePaths: false },
    terminalSandbox: { write: [], read: [], caches: null, network: "off", isRequired: false },
  });
  expect(await row(catalog, "gemini")).toMatchObject({ found: true, how: `${path} --acp` });
});

test("an agent of a version manager is found, the newest first, with its own node first", async () => {
  await install(".nvm/versions/node/v9.1.0/bin/qwen");
  const path = await install(".nvm/versions/node/v24.2.0/bin/qwen");
  const entry = catalogOf().get("qwen");
  expect(entry).toMatchObject({
    command: path,
    env: { PATH: `${dirname(path)}:relative:${home}/bin:${home}/other` },
  });
});

test("files that are not executable, and folders, are ignored", async () => {
  await install("bin/gemini", 0o644);
  await mkdir(join(home, "other/gemini"), { recursive: true });
  expect(() => catalogOf().get("gemini")).toThrow("Gemini CLI is not installed here");
  const path = await install(".local/bin/gemini");
  expect(catalogOf().get("gemini")).toMatchObject({ command: path });
});

test("an older name of the program is found too", async () => {
  const path = await install("bin/claude-code-acp");
  expect(catalogOf().get("claude")).toMatchObject({ command: path, args: [] });
});

test("an unknown agent", () => {
  expect(() => catalogOf().get("nobody")).toThrow(
    expect.objectContaining({ code: "agent-not-found", message: 'There is no agent "nobody".' }),
  );
});

test("flags override the config, and both override known agents", async () => {
  const path = await install("bin/mine");
  const catalog = catalogOf({
    config: [
      { id: "mine", command: "never" },
      { id: "gemini", name: "My Gemini", command: "mine", env: { A: "1" }, cwd: "/work" },
      { id: "far", endpoint: "tcp://127.0.0.1:4000" },
    ],
    extra: ["mine=mine 'an argument'"],
  });
  const list = await catalog.list();
  expect(list.slice(0, 3)).toMatchObject([
    { id: "mine", name: "mine", found: true, how: `${path} 'an argument'` },
    { id: "gemini", name: "My Gemini", found: true },
    { id: "far", found: true, how: "tcp://127.0.0.1:4000" },
  ]);
  expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  expect(catalog.get("gemini")).toMatchObject({
    command: path,
    env: { A: "1" },
    cwd: "/work",
    quirks: { missingFileIsEmpty: true, relativePaths: false },
  });
  expect(catalog.get("far")).toMatchObject({ kind: "endpoint", endpoint: "tcp://127.0.0.1:4000" });
});

test("a configured agent that is not found can still be started", async () => {
  const catalog = catalogOf({
    config: [
      { id: "mine", command: "no-such" },
      { id: "other", command: "/no/such" },
    ],
  });
  expect(catalog.get("mine")).toMatchObject({ command: "no-such" });
  const [mine, other] = await catalog.list();
  expect(mine).toMatchObject({ found: false });
  expect(mine?.how).toMatch(/^no-such: looked for no-such in /);
  expect(other?.how).toBe("/no/such: there is no program at /no/such.");
});

test("watchers receive what was learned and what was installed, once each", async () => {
  const catalog = catalogOf({ limits: { agentsLookMs: 20 } });
  const listener = vi.fn<(agents: readonly AgentSummary[]) => void>();
  const watching = catalog.watch(listener);
  const methods = [{ id: "login", name: "Log in" }];
  catalog.learned("gemini", { signInMethods: methods });
  catalog.learned("gemini", { signInMethods: methods });
  catalog.learned("nobody", { signedIn: true });
  expect(listener).toHaveBeenCalledOnce();
  expect(await row(catalog, "gemini")).toMatchObject({ signInMethods: methods, signedIn: null });
  await install("bin/gemini");
  await expect.poll(() => listener.mock.calls.length).toBe(2);
  const told = listener.mock.lastCall?.[0].find(({ id }) => id === "gemini");
  expect(told).toMatchObject({ found: true, signInMethods: methods });
  watching[Symbol.dispose]();
  catalog.learned("gemini", { signedIn: true });
  expect(listener).toHaveBeenCalledTimes(2);
});

test("an invalid flag is refused when the catalog is created", () => {
  expect(() => catalogOf({ extra: ["nothing"] })).toThrow('--agent "nothing" has no "="');
});

const builtIn = { id: "landline", name: "Landline", command: "/opt/node", args: ["x.js", "agent"] };

test("the built-in agent is first, and always found", async () => {
  const catalog = catalogOf({ builtIn, config: [{ id: "mine", command: "mine" }] });
  const [first, second] = await catalog.list();
  expect(first).toMatchObject({ id: "landline", name: "Landline", found: true, how: "built in" });
  expect(second).toMatchObject({ id: "mine", found: false });
  expect(catalog.get("landline")).toMatchObject({
    kind: "process",
    command: "/opt/node",
    args: ["x.js", "agent"],
    env: {},
  });
  catalog.learned("landline", { signedIn: true });
  expect(await row(catalog, "landline")).toMatchObject({ signedIn: true });
});

test("a configured agent with its id replaces the built-in one", async () => {
  const catalog = catalogOf({
    builtIn,
    config: [{ id: "landline", endpoint: "tcp://[::1]:4000" }],
  });
  const list = await catalog.list();
  expect(list.filter(({ id }) => id === "landline")).toHaveLength(1);
  expect(catalog.get("landline")).toMatchObject({
    kind: "endpoint",
    terminalSandbox: { network: "off", isRequired: false },
  });
});

test("only the terminals of the built-in agent are not confined, unless the policy says otherwise", () => {
  const withhold = { files: false, terminals: false };
  const sandbox = { write: ["/w"], read: [], caches: null, network: "on" } as const;
  const terminalsOf = (policy?: object) => {
    const catalog = catalogOf({
      builtIn,
      config: [{ id: "mine", command: "/bin/sh" }],
      policy: { landline: { withhold, ...policy }, mine: { withhold, ...policy } },
    });
    return ["landline", "mine"].map((id) => {
      const { terminalSandbox } = catalog.get(id);
      return { id, terminalSandbox };
    });
  };
  const both = (terminalSandbox: object | null) =>
    ["landline", "mine"].map((id) => ({ id, terminalSandbox }));
  expect(terminalsOf()).toEqual([
    { id: "landline", terminalSandbox: null },
    { id: "mine", terminalSandbox: expect.objectContaining({ network: "off" }) as object },
  ]);
  expect(terminalsOf({ terminalSandbox: "off" })).toEqual(both(null));
  expect(terminalsOf({ sandbox })).toEqual(both({ ...sandbox, isRequired: true }));
  const hosts = { ...sandbox, network: ["example.com"] };
  expect(terminalsOf({ sandbox, terminalSandbox: hosts })).toEqual(
    both({ ...hosts, isRequired: true }),
  );
});

test("the token of an agent at an address is not listed", async () => {
  const far = { id: "far", endpoint: "tcp://127.0.0.1:4000", token: "secret-secret" };
  const catalog = catalogOf({ config: [far] });
  expect(catalog.get("far")).toMatchObject({ token: "secret-secret" });
  expect(JSON.stringify(await catalog.list())).not.toContain("secret");
});
