import * as fs from "node:fs/promises";
import * as path from "node:path";
import { limitsOf, type LimitName } from "@landline/protocol";
import { expect, test, vi } from "vitest";
import { turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, running } from "../sessions/marked-gateway.ts";
import { ask } from "./http.ts";

/**
 * Seed 003's table of time-outs. Its "Retry: Yes" of the files is about editors: what fails there is done on the disk
 * (acp-client/files/editor-files.test.ts); the disk is asked once.
 */
const timeouts: readonly (readonly [string, LimitName, number])[] = [
  ["initialize", "initializeMs", 30_000],
  ["session/new", "sessionNewMs", 60_000],
  ["session/prompt", "promptMs", 300_000],
  ["fs/read_text_file", "fileReadMs", 30_000],
  ["fs/write_text_file", "fileWriteMs", 60_000],
];

test.each(timeouts)("%s: %s is the seed's", (_method, name, milliseconds) => {
  expect(limitsOf("spec")[name]).toBe(milliseconds);
});

/** The number of agents started so far. */
async function started(gateway: ScriptedGateway): Promise<number> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  const metrics = await (await fetch(new URL("/metrics", gateway.url), { headers })).text();
  return Number(/^landline_agents_started_total\{.*\} (\d+)$/m.exec(metrics)?.[1]);
}

test.concurrent.each([
  ["initialize", { initializeMs: 700 }],
  ["session/new", { sessionNewMs: 700 }],
])("%s: an agent that does not answer is ended, and not tried again", async (method, limits) => {
  await inGateway(
    { agent: { answers: { [method]: { never: true } } } },
    async (gateway) => {
      const body = { agent: "agent", cwd: gateway.project };
      const answer = await ask(gateway, "POST", "/sessions", body);
      expect(answer).toMatchObject({ status: 504, json: { code: "timeout" } });
      expect(await running(gateway)).toEqual([]);
      expect(await started(gateway)).toBe(1);
      expect((await gateway.sessions.list({})).sessions).toEqual([]);
    },
    { profile: "spec", limits },
  );
});

test.concurrent("session/prompt: the turn is cancelled, fails, and is not sent again", async () => {
  const agent = { turns: [{ match: "hang", steps: [], end: "never" }, { steps: [{ say: "on" }] }] };
  await inGateway(
    { agent },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, "hang")).toMatchObject({
        stopReason: "failed",
        error: { code: "timeout" },
      });
      expect(await turn(session, watcher, "next")).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.kinds.filter((kind) => kind === "turn-started")).toHaveLength(2);
      expect(watcher.said).toBe("on");
      expect(await started(gateway)).toBe(1);
    },
    {
      profile: "spec",
      // The second turn must end within the limit too, and the agent must honour the cancel before it is restarted.
      limits: { promptMs: 3_000, cancelRequestMs: 60_000, cancelRestartMs: 60_000 },
    },
  );
});

const late = { expect: { error: { code: -32001, data: { reason: "timeout", code: -32001 } } } };

/** Ten million bytes take longer than a millisecond. */
const large = "x".repeat(10_000_000);

test.concurrent.each([
  ["fs/read_text_file", { fileReadMs: 1 }, [{ readFile: { path: "{{cwd}}/large.txt", ...late } }]],
  [
    "fs/write_text_file",
    { fileWriteMs: 1 },
    [
      { readFile: { path: "{{cwd}}/large.txt", save: "large" } },
      { writeFile: { path: "{{cwd}}/new.txt", content: "{{large.content}}", ...late } },
    ],
  ],
])(
  "%s: the agent gets an error in time, and nothing is half done",
  async (_method, limits, steps) => {
    await inGateway(
      { agent: { turns: [{ steps }] } },
      async (gateway) => {
        await fs.writeFile(path.join(gateway.project, "large.txt"), large);
        const { session, watcher } = await opened(gateway);
        const ended = await turn(session, watcher, "go");
        expect(ended.error).toBeUndefined();
        expect(watcher.kinds).not.toContain("file-written");
        // `expect.poll` can't be used in concurrent tests.
        await vi.waitFor(
          async () => expect(await fs.readdir(gateway.project)).toEqual(["large.txt"]),
          {
            timeout: 60_000,
          },
        );
      },
      { profile: "spec", limits },
    );
  },
);
