import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { clientScenarios, comparedAgent, runScenario } from "@landline/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
let link: string;
beforeAll(async () => {
  home = await Home.make();
  const scenario = { ...comparedAgent, state: "agent-state" };
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
  const config = JSON.parse(await readFile(home.path("config.json"), "utf8")) as object;
  // Agents of earlier scenarios are ended.
  await writeFile(home.path("config.json"), JSON.stringify({ ...config, maxAgents: 3 }));
  const { url, token } = await home.serve();
  link = `${url}/#token=${token}`;
});
afterAll(() => home[Symbol.asyncDispose]());

describe("through landline acp, a client receives what the agent itself would send", () => {
  it.each(Object.entries(clientScenarios))("%s", async (name, scenario) => {
    await using children = new AsyncDisposableStack();
    const folder = home.path(name.replaceAll(" ", "-"));
    const { command, args } = home.agent("direct");
    const direct = await runScenario(
      scenario,
      { cwd: `${folder}-direct`, isGateway: false },
      (client) => {
        const child = spawn(command, [...args, "--state", `${folder}-state`], {
          stdio: ["pipe", "pipe", "ignore"],
        });
        const ended = once(child, "close");
        children.defer(async () => {
          child.kill();
          await ended;
        });
        client.connectProgram(child);
      },
    );
    const through = await runScenario(scenario, { cwd: folder, isGateway: true }, (client) => {
      const { child } = home.start(["acp", "--gateway", link]);
      const ended = once(child, "close");
      children.defer(async () => {
        child.stdin.end();
        await ended;
      });
      client.connectProgram(child);
    });
    expect(through.received).toEqual(direct.received);
    expect({ direct: direct.faults, through: through.faults }).toEqual({ direct: [], through: [] });
  });
});
