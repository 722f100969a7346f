import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { anyRule } from "./corpus/any-rule.ts";
import { turn, Watcher } from "../sessions/scripted-gateway.ts";
import { openBuiltInAgentGateway } from "../sessions/own-agent.ts";

test("rules are suggested for a command of the built-in agent", async () => {
  await using gateway = await openBuiltInAgentGateway();
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  const ended = turn(session, watcher, "run npm test");
  const { askId } = await watcher.until("ask-opened");
  const { rules } = await session.suggestRules(askId);
  await session.answer(askId, { outcome: "cancelled" }, "tester");
  await ended;
  expect(rules.map(({ rule }) => rule.what)).toEqual([
    { commandPrefix: "npm test" },
    { commandPrefix: "npm test" },
  ]);
});

test("a line whose words depend on the shell needs permission before it runs in a terminal", async () => {
  await using gateway = await openBuiltInAgentGateway({ config: { sandbox: false } });
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  // One word in bash; a POSIX shell ends the quotes at the backslash, and runs the rest.
  const ended = turn(session, watcher, String.raw`run echo $'a\'; touch ran; #'`);
  const { askId } = await watcher.until("ask-opened");
  await session.answer(askId, { outcome: "cancelled" }, "tester");
  await ended;
  expect(await readdir(gateway.project)).toEqual([]);
});

test("a line in a terminal of the gateway is run by the shell for which it was analysed", async () => {
  await using gateway = await openBuiltInAgentGateway({ config: { sandbox: false } });
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  await turn(session, watcher, "run [[ -d . ]] && echo {one,two}");
  expect(watcher.events.filter(({ kind }) => kind === "ask-opened")).toEqual([]);
  expect(JSON.stringify(watcher.events)).toContain("one two");
});

test.skipIf(isSkipped)(
  "a confined command of the built-in agent sees no data of the gateway, even inside the project",
  async () => {
    await using gateway = await openBuiltInAgentGateway();
    const cwd = gateway.folder;
    const session = await gateway.sessions.open({ agent: "landline", cwd, by: "tester" });
    using watcher = new Watcher(session);
    await turn(session, watcher, "run ls data data/gateway.sock");
    const said = JSON.stringify(watcher.events);
    expect(said).toContain("Permission denied");
    expect(said).not.toContain("tokens.json");
  },
);

test.skipIf(isSkipped)(
  "a rule that allows a command does not let it leave the sandbox of the built-in agent",
  async () => {
    const rules = [{ commandPrefix: "npm test" }, { toolKind: "execute" as const }, {}].map(
      (what) => anyRule({ what }),
    );
    await using gateway = await openBuiltInAgentGateway({ rules });
    await mkdir(join(gateway.folder, "outside"));
    const scripts = { test: "echo x > ../outside/x" };
    await writeFile(join(gateway.project, "package.json"), JSON.stringify({ scripts }));
    const session = await gateway.openSession("landline");
    using watcher = new Watcher(session);
    const ended = turn(session, watcher, "run npm test");
    const { askId } = await watcher.until("ask-opened", (event) =>
      JSON.stringify(event).includes("stopped by the sandbox"),
    );
    expect(await session.suggestRules(askId)).toMatchObject({ rules: [] });
    // Rejected once a rule has answered.
    await session.answer(askId, { outcome: "cancelled" }, "tester");
    await ended;
    const opened = watcher.events.filter(({ kind }) => kind === "ask-opened");
    expect(opened).toHaveLength(2);
    expect(await readdir(join(gateway.folder, "outside"))).toEqual([]);
  },
);
