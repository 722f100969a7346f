import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestClient } from "../server/socket-client.ts";
import { turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask } from "../spec/http.ts";

/** The gateway logs the damage at each start. */
const quiet = { logLevel: "silent" } as const;

const permission = (command: string, more: object = {}) => ({
  permission: {
    toolCall: { toolCallId: command, kind: "execute", title: command, rawInput: { command } },
    on: { allow: [{ say: "allowed" }], reject: [{ say: "rejected" }] },
    ...more,
  },
});

const agent = {
  turns: [
    { match: "alone", steps: [permission("npm test")] },
    { match: "both", steps: [permission("npm test", { wait: false }), permission("git push")] },
  ],
};

const rule = (decision: string, where: object = { in: "everywhere" }) => ({
  decision,
  what: { commandPrefix: "npm test" },
  where,
});
const denyPush = {
  decision: "deny",
  what: { commandPrefix: "git push" },
  where: { in: "everywhere" },
};

async function damageRules(gateway: ScriptedGateway): Promise<void> {
  await gateway.stop();
  await fs.writeFile(path.join(gateway.data, "rules.json"), '{"version":1,"rules":[{"decision":');
  await gateway.start();
}

/** Whether a rule answered `npm test` by the time that a later request was denied by a rule. */
async function isAnsweredByRule(gateway: ScriptedGateway): Promise<boolean> {
  const { session, watcher } = await opened(gateway);
  using _watcher = watcher;
  await turn(session, watcher, "both");
  expect(watcher.said).toContain("rejected");
  const { askId } = await watcher.until(
    "ask-opened",
    (event) => event.ask === "permission" && event.toolCall.title === "npm test",
  );
  const { by } = await watcher.until("ask-settled", (event) => event.askId === askId);
  return "rule" in by;
}

/** A prompt whose permission request a rule answers. Never ends when nobody does. */
async function saidByRule(gateway: ScriptedGateway): Promise<string> {
  const { session, watcher } = await opened(gateway);
  using _watcher = watcher;
  await turn(session, watcher, "alone");
  return watcher.said;
}

async function connect(gateway: ScriptedGateway): Promise<TestClient> {
  const { url, token } = gateway;
  const address = `${url.replace("http", "ws")}/ws?token=${token}`;
  const client = new TestClient(new WebSocket(address, ["landline.v1"]));
  await client.opened;
  return client;
}

test("a damaged rules file stops every automatic allow until a person acknowledges it", async () => {
  await inGateway(
    { agent },
    async (gateway) => {
      await ask(gateway, "POST", "/rules", rule("allow"));
      expect(await saidByRule(gateway)).toBe("allowed");
      expect((await ask(gateway, "GET", "/rules")).json["damage"]).toBeNull();
      await damageRules(gateway);

      const { json } = await ask(gateway, "GET", "/rules");
      expect(json).toMatchObject({
        rules: [],
        damage: { reason: expect.stringMatching(/JSON/), at: expect.any(Number) },
      });
      const { movedTo } = json["damage"] as { movedTo: string };
      expect(await fs.readFile(movedTo, "utf8")).toContain('"decision":');

      await ask(gateway, "POST", "/rules", denyPush);
      // A new allow rule is saved, and is not used either. Neither is it after another start.
      expect((await ask(gateway, "POST", "/rules", rule("allow"))).status).toBe(201);
      expect(await isAnsweredByRule(gateway)).toBe(false);
      await gateway.restart();
      expect((await ask(gateway, "GET", "/rules")).json).toMatchObject({
        rules: [{ decision: "deny" }, { decision: "allow" }],
        damage: { movedTo },
      });
      expect(await isAnsweredByRule(gateway)).toBe(false);

      // A deny rule works, even when the allow rule is saved again after it.
      await ask(
        gateway,
        "POST",
        "/rules",
        rule("deny", { in: "project", folder: gateway.project }),
      );
      await ask(gateway, "POST", "/rules", rule("allow"));
      expect(await saidByRule(gateway)).toBe("rejected");
    },
    quiet,
  );
});

test("only an admin acknowledges the damage, and connected clients are notified", async () => {
  await inGateway(
    { agent },
    async (gateway) => {
      await damageRules(gateway);
      await ask(gateway, "POST", "/rules", denyPush);
      await ask(gateway, "POST", "/rules", rule("allow"));
      const client = await connect(gateway);
      const told = await client.until(({ type }) => type === "rules-damage");
      expect(told["damage"]).toEqual((await ask(gateway, "GET", "/rules")).json["damage"]);
      expect((await ask(gateway, "GET", "/me")).json["rulesDamage"]).toEqual(told["damage"]);

      const device = await ask(gateway, "POST", "/devices", { name: "Phone", role: "control" });
      const refused = await fetch(new URL("/api/rules/damage/acknowledge", gateway.url), {
        method: "POST",
        headers: { authorization: `Bearer ${String(device.json["token"])}` },
      });
      expect(refused.status).toBe(403);
      expect(await isAnsweredByRule(gateway)).toBe(false);

      expect((await ask(gateway, "POST", "/rules/damage/acknowledge")).status).toBe(204);
      const ended = (
        await client.until((frame) => frame.type === "rules-damage" && frame["damage"] === null)
      )["damage"];
      expect(ended).toBeNull();
      expect((await ask(gateway, "GET", "/rules")).json["damage"]).toBeNull();
      expect(await saidByRule(gateway)).toBe("allowed");
      await gateway.restart();
      expect((await ask(gateway, "GET", "/rules")).json["damage"]).toBeNull();
      expect(await saidByRule(gateway)).toBe("allowed");
    },
    quiet,
  );
});
