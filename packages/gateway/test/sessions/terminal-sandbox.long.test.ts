import * as fs from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import * as path from "node:path";
import { scriptedAgentCommand } from "@landline/testing";
import { sandboxRequest, type PermissionOpened } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { ask as call } from "../spec/http.ts";
import { run, runner, stopped, textOf } from "./command-runner.ts";
import { type ScriptedGateway, text, turn } from "./scripted-gateway.ts";
import { inGateway, opened } from "./marked-gateway.ts";

const confinement = { sandbox: "bubblewrap", network: "off" } as const;

describe.skipIf(isSkipped)("commands in terminals", () => {
  let home: string;
  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(homedir(), ".landline-test-home-"));
    await fs.mkdir(path.join(home, ".ssh"));
    await fs.writeFile(path.join(home, ".ssh/id_rsa"), "PRIVATE\n");
    await fs.writeFile(path.join(home, "notes"), "private\n");
    vi.stubEnv("HOME", home);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await fs.rm(home, { recursive: true });
  });

  const inside = (
    body: (gateway: ScriptedGateway) => Promise<void>,
    more: Parameters<typeof inGateway>[2] = {},
  ) => inGateway({ agent: runner, other: runner }, body, more);

  test("are confined by default, with their folder, environment and exit code", async () => {
    await using server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const escapes = [
        "cat ~/.ssh/id_rsa ~/notes",
        `cat ${gateway.data}/tokens.json; ls ${gateway.data}`,
        "echo x > ~/written",
        `echo x > ${gateway.folder}/written`,
        `cat < /dev/tcp/127.0.0.1/${port}`,
        "echo $WISHED > made; pwd; true",
      ].join("\n");
      const said = await run(open, escapes);
      expect(said).toMatch(/^0 \|?/);
      expect(said).not.toMatch(/private|PRIVATE|hash|hello/);
      expect(said).toContain(`${gateway.project}\n`);
      expect(await fs.readdir(gateway.folder)).not.toContain("written");
      expect(await fs.readdir(home)).not.toContain("written");
      expect(await fs.readFile(path.join(gateway.project, "made"), "utf8")).toBe("yes\n");
      expect(await open.watcher.until("terminal-opened")).toMatchObject({ confinement });
      expect(open.watcher.kinds).not.toContain("ask-opened");
      expect(await run(open, "kill -9 $$; true")).toContain("SIGKILL");
    });
  });

  test("get no secret of the gateway's environment without network, but those that their agent sets", async () => {
    vi.stubEnv("DEPLOY_TOKEN", "of the person");
    vi.stubEnv("DATABASE_URL", "postgres://me:word@host/x");
    vi.stubEnv("ORDINARY", "ordinary");
    const agent = structuredClone(runner);
    const [first] = agent.turns;
    for (const step of first?.steps ?? [])
      step.createTerminal?.env.push({ name: "DEPLOY_TOKEN", value: "{{prompt}}" });
    const line = 'echo "$DATABASE_URL|$DEPLOY_TOKEN|$ORDINARY"';
    await inGateway({ agent: runner, setting: agent }, async (gateway) => {
      expect(await run(await opened(gateway), line)).toContain("|||ordinary\n");
      expect(await run(await opened(gateway, "setting"), line)).toContain(`||${line}|ordinary\n`);
      const outside = path.join(gateway.folder, "outside");
      await fs.mkdir(outside);
      const leaving = await stopped(await opened(gateway), `${line}; echo x > ${outside}/x`);
      const everything = "postgres://me:word@host/x|of the person|ordinary\n";
      expect(await leaving.answer("allow_once")).toContain(everything);
    });
  });

  test("get the variables that their agent sets, which no program outside the sandbox uses", async () => {
    const traces = path.join(home, "traces");
    await fs.mkdir(traces);
    // The loader of each program with these variables writes a file; one in the sandbox cannot.
    const variables = { LD_DEBUG: "statistics", LD_DEBUG_OUTPUT: path.join(traces, "of") };
    const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
    const command = "echo $LD_DEBUG $LD_DEBUG_OUTPUT > made";
    const steps = [{ createTerminal: { command, env } }, { waitForExit: {} }];
    await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      expect(await watcher.until("terminal-opened")).toMatchObject({ confinement });
      const made = await fs.readFile(path.join(gateway.project, "made"), "utf8");
      expect(made).toBe(`${Object.values(variables).join(" ")}\n`);
      expect(await fs.readdir(traces)).toEqual([]);
    });
  });

  test("of configured agents are confined as configured", async () => {
    const agents = { off: runner, open: runner, landline: runner };
    const shared = { write: [], read: [], caches: null } as const;
    const withhold = { files: false, terminals: false };
    const policy = {
      off: { withhold, terminalSandbox: "off" },
      open: { withhold, terminalSandbox: { ...shared, read: [home], network: "on" } },
    } as const;
    const confined = { sandbox: "bubblewrap", network: "on" };
    const expected = { off: null, open: confined, landline: confinement };
    await inGateway(
      agents,
      async (gateway) => {
        for (const [agent, how] of Object.entries(expected)) {
          const open = await opened(gateway, agent);
          const said = await run(open, "cat ~/notes; true");
          expect(said.includes("private")).toBe(agent !== "landline");
          expect(await open.watcher.until("terminal-opened")).toMatchObject({ confinement: how });
        }
        await gateway.stop();
        // The built-in agent is not confined, as an entry of the catalog, not by its id.
        const scenario = path.join(gateway.folder, "landline.json");
        const builtInAgent = { id: "own", name: "Own", ...scriptedAgentCommand(scenario) };
        await gateway.start({ builtInAgent });
        const open = await opened(gateway, "own");
        expect(await run(open, "cat ~/notes")).toContain("private");
        expect(await open.watcher.until("terminal-opened")).toMatchObject({ confinement: null });
      },
      { policy },
    );
  });

  test("that their sandbox stops run again as a person decides", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const { watcher } = open;
      const outside = path.join(gateway.folder, "outside");
      await fs.mkdir(outside);
      const command = `echo began; echo x >> ${outside}/file`;

      const first = await stopped(open, command);
      expect(first.ask).toMatchObject({
        toolCall: {
          toolCallId: "t1",
          kind: "execute",
          rawInput: { command, cwd: gateway.project, env: { WISHED: "yes" } },
          _meta: {
            [sandboxRequest]: {
              denied: [{ kind: "change", what: `changing "${outside}/file"` }],
              opens: [`changing any file in "${outside}"`],
            },
          },
        },
        options: [
          { name: "Run outside the sandbox once", kind: "allow_once" },
          { name: `Allow changing any file in "${outside}" in this session`, kind: "allow_always" },
          { name: "Reject", kind: "reject_once" },
        ],
      });
      expect(JSON.stringify(first.ask.toolCall.content)).toContain("again from the beginning");
      expect(await watcher.until("ask-explained")).toMatchObject({
        reasons: [
          `the sandbox kept it from changing "${outside}/file"`,
          "only a person can let a command out of the sandbox",
        ],
      });
      // It has not ended for the agent, and its output is there.
      const { terminals } = await open.session.view();
      expect(terminals).toMatchObject([{ exit: null, confinement }]);
      expect(terminals[0]?.text).toContain("began\n");
      expect(watcher.kinds).not.toContain("terminal-exited");
      const rejected = await first.answer("reject_once");
      expect(rejected).toMatch(/^1 /);
      expect(rejected).not.toContain("Landline");
      expect(await fs.readdir(outside)).toEqual([]);

      const once = await stopped(open, command);
      const ran = await once.answer("allow_once");
      expect(ran).toMatch(/^0 .*began\n.*\n\[Landline: [^\n]*outside the sandbox\.\]\nbegan\n$/s);
      const restarted = await watcher.until("terminal-restarted");
      expect(restarted).toMatchObject({ confinement: null, ask: once.ask.askId });
      expect(await fs.readFile(`${outside}/file`, "utf8")).toBe("x\n");

      const another = `echo y > ${outside}/another`;
      const always = await stopped(open, another);
      expect(await always.answer("allow_always")).toMatch(/^0 /);
      expect(
        await watcher.until("terminal-restarted", ({ ask }) => ask === always.ask.askId),
      ).toMatchObject({ confinement });
      // Later ones need no question; other places do.
      const asks = watcher.kinds.filter((kind) => kind === "ask-opened").length;
      expect(await run(open, `${another}; ${command}`)).toMatch(/^0 /);
      expect(watcher.kinds.filter((kind) => kind === "ask-opened")).toHaveLength(asks);
      expect(await fs.readFile(`${outside}/file`, "utf8")).toBe("x\nx\n");
      const other = await opened(gateway, "other");
      expect(
        await (await stopped(other, `echo z > ${outside}/third`)).answer("reject_once"),
      ).toMatch(/^1 /);
    });
  });

  test("that their sandbox stops more than once are asked about in one request", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const outside = path.join(gateway.folder, "outside");
      await fs.mkdir(outside);
      const asksOf = () => open.watcher.kinds.filter((kind) => kind === "ask-opened").length;
      const [notes, key] = [path.join(home, "notes"), path.join(home, ".ssh/id_rsa")];

      // With a credential among them, nothing is opened for the session.
      const command = `echo x > ${outside}/file; cat ~/notes`;
      const withKey = await stopped(open, `${command} ~/.ssh/id_rsa`);
      expect(withKey.ask.options.map(({ optionId }) => optionId)).toEqual([
        "outside",
        "open-once",
        "reject",
      ]);
      expect(await open.watcher.until("ask-explained")).toMatchObject({
        reasons: [
          `the sandbox kept it from changing "${outside}/file"`,
          `the sandbox kept it from reading "${notes}"`,
          `the sandbox kept it from reading "${key}"`,
          `"${key}" may hold an SSH key`,
          "only a person can let a command out of the sandbox",
        ],
      });
      expect(await withKey.answer("reject_once")).toMatch(/^1 /);

      const both = await stopped(open, command);
      expect(textOf(both.ask).split("\n")).toEqual([
        `The sandbox kept it from changing "${outside}/file".`,
        `The sandbox kept it from reading "${notes}".`,
        `You can allow in this session: changing any file in "${outside}".`,
        `You can allow in this session: reading "${notes}".`,
        "If you allow it, the command runs again from the beginning.",
      ]);
      expect(both.ask.toolCall._meta).toMatchObject({
        [sandboxRequest]: {
          denied: [
            { kind: "change", what: `changing "${outside}/file"` },
            { kind: "read", what: `reading "${notes}"` },
          ],
        },
      });
      expect(await both.answer("allow_always")).toMatch(/^0 .*private\n/s);
      expect(await fs.readFile(`${outside}/file`, "utf8")).toBe("x\n");
      expect(await run(open, command)).toMatch(/^0 /);
      expect(asksOf()).toBe(2);

      // It is unknown what to open, so it can only run outside.
      const unnamed = await stopped(open, "echo 'Read-only file system'; exit 1");
      expect(unnamed.ask.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
      expect(await unnamed.answer("reject_once")).toMatch(/^1 /);
    });
  });

  test("cannot use a link that replaced what a person opened", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const [outside, other] = ["outside", "other"].map((name) =>
        path.join(gateway.folder, name),
      ) as [string, string];
      await Promise.all([fs.mkdir(outside), fs.mkdir(other)]);
      const { ask, answer } = await stopped(open, `echo x > ${outside}/file`);
      await fs.rmdir(outside);
      await fs.symlink(other, outside);
      const answered = answer("allow_always");
      // The person is asked about the target of the link.
      const next = await open.watcher.until("ask-opened", () => true, ask.seq);
      expect(textOf(next as PermissionOpened)).toContain(`changing "${other}/file"`);
      const outcome = { outcome: "selected", optionId: "reject" } as const;
      await open.session.answer(next.askId, outcome, "tester");
      expect(await answered).toMatch(/^[12] /);
      expect(await fs.readdir(other)).toEqual([]);
    });
  });

  test("are asked about for credentials each time, and at most three times", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      await fs.writeFile(path.join(gateway.project, ".env"), "SECRET=1\n");
      for (const file of ["~/.ssh/id_rsa", ".env"]) {
        const { ask, answer } = await stopped(open, `cat ${file}`);
        const ids = ask.options.map(({ optionId }) => optionId);
        expect(ids).toEqual(["outside", "open-once", "reject"]);
        await expect(
          open.session.answer(
            ask.askId,
            {
              outcome: "selected",
              optionId: ask.options[0]!.optionId,
              _meta: { "landline/remember": { where: "session" } },
            },
            "tester",
          ),
        ).rejects.toMatchObject({ code: "invalid-params" });
        expect(await open.session.suggestRules(ask.askId)).toMatchObject({ rules: [] });
        expect(await answer("allow_once")).toMatch(/^0 .*(?:PRIVATE|SECRET)/s);
      }
      // Each run names another path, which does not help.
      const folders = ["a", "b", "c", "d"].map((name) => path.join(gateway.folder, name));
      for (const folder of folders) await fs.mkdir(folder);
      const names = folders.join(" ");
      const line = `for d in ${names}; do touch $d/file || exit 1; done`;
      const from = open.watcher.events.length;
      const { answer, ask } = await stopped(open, line);
      const answered = answer("allow_always");
      let last = ask.seq;
      for (let more = 0; more < 2; more += 1) {
        const next = await open.watcher.until("ask-opened", () => true, last);
        last = next.seq;
        const outcome = { outcome: "selected", optionId: "open" } as const;
        await open.session.answer(next.askId, outcome, "tester");
      }
      expect(await answered).toMatch(/^1 /);
      const kinds = open.watcher.events.slice(from).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "terminal-restarted")).toHaveLength(3);
      expect(kinds.filter((kind) => kind === "ask-opened")).toHaveLength(3);
    });
  });

  test("that write to a hidden file are asked about once, as a change", async () => {
    await fs.mkdir(path.join(home, "folder"));
    const [key, file] = [path.join(home, ".ssh/id_rsa"), path.join(home, "folder/file")];
    await fs.writeFile(file, "");
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const denied = (target: string) => ({
        denied: [{ kind: "change", what: `changing "${target}"` }],
      });
      const first = await stopped(open, "echo x >> ~/.ssh/id_rsa");
      expect(first.ask.toolCall._meta?.[sandboxRequest]).toMatchObject(denied(key));
      expect(await first.answer("reject_once")).toMatch(/^1 /);
      const second = await stopped(open, "echo x > ~/folder/file");
      expect(second.ask.toolCall._meta?.[sandboxRequest]).toMatchObject(denied(file));
      expect(await second.answer("allow_always")).toMatch(/^0 /);
      expect(await fs.readFile(file, "utf8")).toBe("x\n");
      expect(open.watcher.kinds.filter((kind) => kind === "ask-opened")).toHaveLength(2);
    });
  });

  test("leave their sandbox by no allow rule, and not against a deny rule", async () => {
    await inside(async (gateway) => {
      const add = async (decision: string, what: object) => {
        const rule = { decision, what, where: { in: "everywhere" } };
        expect(await call(gateway, "POST", "/rules", rule)).toMatchObject({ status: 201 });
      };
      const what = { commandPrefix: "cat" };
      await add("allow", what);
      await add("allow", { toolKind: "execute" });
      const open = await opened(gateway);
      const first = await stopped(open, "cat ~/notes");
      expect(await first.answer("reject_once")).toMatch(/^1 /);
      await add("deny", what);
      expect(await run(open, "cat ~/notes")).toMatch(/^1 /);
      const denied = await open.watcher.until(
        "ask-settled",
        ({ askId }) => askId !== first.ask.askId,
      );
      expect(denied.by).toHaveProperty("rule");
      expect(open.watcher.kinds).not.toContain("terminal-restarted");
    });
  });

  test.each([
    ["the turn is cancelled", "turn-cancelled"],
    ["the agent releases the terminal", "withdrawn"],
    ["the agent ends", "agent-gone"],
    ["the gateway ends", "turn-cancelled"],
  ])("that wait for an answer end when %s", async (what, reason) => {
    const steps = [
      { createTerminal: { command: "echo began; cat ~/notes" } },
      { waitForExit: { wait: false } },
      { permission: { toolCall: { toolCallId: "go on" } } },
      what === "the agent ends" ? { crash: 3 } : { releaseTerminal: {} },
    ];
    await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await session.prompt("p", text("go"), "tester");
      const isOurs = ({ toolCall }: PermissionOpened) =>
        toolCall.toolCallId.startsWith("landline-terminal-");
      const find = (isWanted: (ask: PermissionOpened) => boolean) =>
        watcher.until("ask-opened", (event) => event.ask === "permission" && isWanted(event));
      const ours = await find(isOurs);
      const theirs = (await find((ask) => !isOurs(ask))) as PermissionOpened;
      if (what === "the turn is cancelled") await session.cancel("tester");
      else if (what === "the gateway ends") await gateway.stop();
      else {
        const { optionId } = theirs.options[0]!;
        await session.answer(theirs.askId, { outcome: "selected", optionId }, "tester");
      }
      expect(await watcher.until("ask-settled", ({ askId }) => askId === ours.askId)).toMatchObject(
        {
          outcome: { outcome: "cancelled" },
          by: { gateway: reason },
        },
      );
      expect(await watcher.until("terminal-exited")).toMatchObject({ exitCode: 1, signal: null });
      expect(watcher.kinds).not.toContain("terminal-restarted");
    });
  });

  test("are gone after the release, whatever their environment and session", async () => {
    const seconds = `4${process.pid}`;
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const isRunning = async () => (await commandLines()).includes(`sleep ${seconds}`);
      const line = `env -i setsid -f sleep ${seconds}; until pgrep -f '^sleep ${seconds}'; do :; done`;
      expect(await run(open, `${line}; exit 0`)).toMatch(/^0 /);
      await expect.poll(isRunning).toBe(false);
    });
  });
});

async function commandLines(): Promise<string[]> {
  const names = (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    names.map((name) => fs.readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "")),
  );
  return lines.map((line) => line.replaceAll("\0", " ").trim());
}
