import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { turn } from "../sessions/scripted-gateway.ts";
import { answering, inGateway, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const withheld = { agent: { withhold: { files: true, terminals: true } } };

test.concurrent("3: an agent that requests files without the capability is refused", async () => {
  await inGateway(
    { agent: await shipped("like-opencode") },
    async (gateway) => {
      const conversation = await opened(gateway);
      const { ended } = await answering(conversation, "write", "allow_once");
      expect(ended.stopReason).toBe("end_turn");
      expect(conversation.watcher.said).toMatch(/All done\.$/);
      expect(await fs.readdir(gateway.project)).toEqual([]);
      expect(conversation.watcher.kinds).not.toContain("file-written");
    },
    { policy: withheld },
  );
});

test.concurrent("3: withheld capabilities are not offered", async () => {
  const offers = ["fs.readTextFile", "fs.writeTextFile", "terminal"].map((has) => ({
    whenClient: { has, steps: [{ say: `${has} ` }] },
  }));
  await inGateway(
    { agent: { turns: [{ steps: offers }] }, other: { turns: [{ steps: offers }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      expect(watcher.said).toBe("");
      const other = await opened(gateway, "other");
      await turn(other.session, other.watcher, "go");
      expect(other.watcher.said).toBe("fs.readTextFile fs.writeTextFile terminal ");
    },
    { policy: withheld },
  );
});

test.concurrent("4: an agent that reads a file before it creates it gets an empty one, whatever its id", async () => {
  const like = (await shipped("like-gemini")) as { initialize: object };
  const named = { name: "gemini-cli", version: "0.61.0" };
  const gemini = { ...like, initialize: { ...like.initialize, agentInfo: named } };
  await inGateway({ "my-own-name": gemini }, async (gateway) => {
    const conversation = await opened(gateway, "my-own-name");
    const { ended } = await answering(conversation, "write", "allow_once");
    expect(ended.stopReason).toBe("end_turn");
    expect(await fs.readFile(path.join(gateway.project, "out.txt"), "utf8")).toBe("written");
    expect(conversation.watcher.kinds.filter((kind) => kind === "file-written")).toHaveLength(1);
  });
});

test.concurrent("4: any other agent is told that it is missing", async () => {
  await inGateway({ agent: await shipped("like-gemini") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "write");
    expect(watcher.said).toBe("I will write the file.That did not work.");
  });
});
