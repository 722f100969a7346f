import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionView } from "@landline/protocol";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { type ScriptedGateway, Watcher } from "./scripted-gateway.ts";
import { openBuiltInAgentGateway } from "./own-agent.ts";

function level({ configOptions }: SessionView) {
  return configOptions?.find(({ id }) => id === "permissions")?.currentValue;
}

/** As a client does it over HTTP. */
async function setLevel(gateway: ScriptedGateway, sessionId: string, value: string) {
  const { url, token } = gateway;
  const response = await fetch(`${url}/api/sessions/${sessionId}/config`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ configId: "permissions", value }),
  });
  return { status: response.status, text: await response.text() };
}

/** A folder with a `bwrap` that waits until `begin` is called. */
async function slowBubblewrap() {
  const folder = await mkdtemp(join(tmpdir(), "landline-slow-bwrap-"));
  const real = execFileSync("which", ["bwrap"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\nuntil [ -e ${folder}/begin ]; do sleep 0.05; done\nexec ${real} "$@"\n`;
  await writeFile(join(folder, "bwrap"), script);
  await chmod(join(folder, "bwrap"), 0o755);
  return {
    folder,
    begin: () => writeFile(join(folder, "begin"), ""),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test.skipIf(isSkipped)(
  "the level `sandboxed` can be set before the built-in agent has found its sandbox",
  async () => {
    await using bubblewrap = await slowBubblewrap();
    const environment = { PATH: `${bubblewrap.folder}:${process.env["PATH"]}` };
    await using gateway = await openBuiltInAgentGateway({ environment });
    const session = await gateway.openSession("landline");
    const offered = JSON.stringify((await session.view()).configOptions);
    expect(offered).not.toContain('"value":"sandboxed"');
    const set = session.setConfig("permissions", "sandboxed", "tester");
    await Promise.race([set, bubblewrap.begin()]);
    await set;
    expect(level(await session.view())).toBe("sandboxed");
    expect(await setLevel(gateway, session.id, "unheard-of")).toMatchObject({
      status: 422,
      text: expect.stringContaining("option-not-offered"),
    });
    const config = [{ configId: "permissions", value: "sandboxed" }];
    const next = await gateway.sessions.open({
      agent: "landline",
      cwd: gateway.project,
      by: "tester",
      config,
    });
    expect(level(await next.view())).toBe("sandboxed");
  },
);

test("without a sandbox the level `sandboxed` is refused, and the refusal says why", async () => {
  await using gateway = await openBuiltInAgentGateway({ environment: { PATH: "/no/programs" } });
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  const expected = { status: 422, text: expect.stringContaining("bubblewrap is not installed.") };
  expect(await setLevel(gateway, session.id, "sandboxed")).toMatchObject(expected);
  // Also once the agent has reported that there is none.
  await watcher.until("update", (event) => JSON.stringify(event).includes("without a sandbox"));
  expect(await setLevel(gateway, session.id, "sandboxed")).toMatchObject(expected);
  expect(level(await session.view())).toBe("ask");
});
