import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Reply } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { lives, marked } from "../agents/test-agent-host.ts";
import { turn } from "../sessions/scripted-gateway.ts";
import type { RealAgent } from "./real-agent.ts";
import { answerAsk, begin, eventsOf, isSpeech, RealAgentGateway } from "./real-agent-gateway.ts";

/** What every agent must be able to do through the gateway. */
export function agentContract(agent: RealAgent): void {
  describe(`${agent.name} ${agent.version} through the gateway`, () => {
    test("a turn with text", async () => {
      await using gateway = await RealAgentGateway.open(agent, ["The sea is calm tonight."]);
      const { session, watcher } = await gateway.openSession();
      expect(await turn(session, watcher, "Say a line")).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.said).toBe("The sea is calm tonight.");
      expect(gateway.asked.map(({ userText }) => userText)).toEqual([
        expect.stringContaining("Say a line"),
      ]);
      const view = await session.view();
      expect(view.agent).toMatchObject({ state: "running", how: "new", starts: 1 });
      expect(
        view.items.filter(({ type }) => type === "prompt" || type === "message"),
      ).toMatchObject([
        { type: "prompt", content: [{ text: "Say a line" }], end: { stopReason: "end_turn" } },
        { type: "message", role: "agent" },
      ]);
      expect(view.unknownCount).toBe(0);
      expect(eventsOf(watcher, "agent-noise")).toEqual([]);
      // One agent lists its commands in half a megabyte, which is noted and passed on.
      const problems = eventsOf(watcher, "error").filter(
        ({ code }) => code !== "message-too-large",
      );
      expect(problems).toEqual([]);
    });

    test("an allowed edit is made", async () => {
      const lines: Reply[] = [{}, { parts: [{ type: "text", text: "It is written." }] }];
      await using gateway = await RealAgentGateway.open(agent, lines);
      const file = path.join(gateway.project, "poem.txt");
      lines[0] = { parts: [agent.write(file, "Roses are red\n")] };
      const { session, watcher } = await gateway.openSession();
      const { ended } = await begin(session, watcher, "Write a poem");
      const { ask, outcome } = await answerAsk(session, watcher, "allow_once");
      expect(await ended()).toMatchObject({ stopReason: "end_turn" });
      expect(await fs.readFile(file, "utf8")).toBe("Roses are red\n");
      expect(eventsOf(watcher, "ask-settled")).toMatchObject([
        { askId: ask.askId, outcome, by: { client: "tester" } },
      ]);
      expect(watcher.said).toContain("It is written.");
      expect(gateway.asked[1]?.toolResults).toHaveLength(1);
      const view = await session.view();
      expect(view.openAsks).toEqual([]);
      expect(view.items.filter(({ type }) => type === "tool-call")).toMatchObject([
        {
          toolCallId: ask.ask === "permission" ? ask.toolCall.toolCallId : "",
          status: "completed",
        },
      ]);
    });

    test("a rejected edit is not made", async () => {
      const lines: Reply[] = [{}, { parts: [{ type: "text", text: "Then I leave it." }] }];
      await using gateway = await RealAgentGateway.open(agent, lines);
      const file = path.join(gateway.project, "poem.txt");
      lines[0] = { parts: [agent.write(file, "Roses are red\n")] };
      const { session, watcher } = await gateway.openSession();
      const { ended } = await begin(session, watcher, "Write a poem");
      const { ask, outcome } = await answerAsk(session, watcher, "reject_once");
      const goesOn = agent.afterReject === "model-goes-on";
      expect(await ended()).toMatchObject({ stopReason: goesOn ? "end_turn" : agent.afterReject });
      expect(watcher.said).toContain(goesOn ? "Then I leave it." : "");
      expect(gateway.asked).toHaveLength(goesOn ? 2 : 1);
      expect(eventsOf(watcher, "ask-settled")).toMatchObject([
        { askId: ask.askId, outcome, by: { client: "tester" } },
      ]);
      await expect(fs.stat(file)).rejects.toMatchObject({ code: "ENOENT" });
      expect(eventsOf(watcher, "file-written")).toEqual([]);
      const call = (await session.view()).items.find((item) => item.type === "tool-call");
      // Some agents end it themselves; for others, the end of the turn does.
      expect(call?.ended ?? call?.status).toMatch(/^(?:failed|completed|unfinished|cancelled)$/);
    });

    test("a cancel during a stream ends the turn, and the next one runs", async () => {
      await using gateway = await RealAgentGateway.open(agent, [
        endless("Once upon a time there was a sailor. "),
        "Here I am again.",
      ]);
      const { session, watcher } = await gateway.openSession();
      const { ended } = await begin(session, watcher, "Tell a long story");
      await watcher.until("update", isSpeech);
      await session.cancel("tester");
      expect(await ended()).toMatchObject({ stopReason: "cancelled" });
      expect(eventsOf(watcher, "turn-changed")).toMatchObject([{ rung: "cancel", by: "tester" }]);
      expect(await gateway.asked[0]?.ended).toBe("client-gone");
      expect(await turn(session, watcher, "Are you there?")).toMatchObject({
        stopReason: "end_turn",
      });
      expect(watcher.said).toMatch(/^Once upon[^]*Here I am again\.$/);
      expect(eventsOf(watcher, "agent-started")).toHaveLength(1);
    });

    test("killed during a turn, it is restarted by the next prompt and knows the conversation", async () => {
      await using gateway = await RealAgentGateway.open(agent, [
        "I will remember it.",
        endless("Let me think about that for a while. "),
        "It is 4711.",
      ]);
      const { session, watcher } = await gateway.openSession();
      await turn(session, watcher, "The number is 4711");
      const { ended } = await begin(session, watcher, "Think about it");
      await watcher.until("update", (event) => isSpeech(event) && watcher.said.includes("Let me"));
      const [before] = await gateway.running();
      process.kill(before!.pid, "SIGKILL");
      expect(await ended()).toMatchObject({
        stopReason: "failed",
        error: { code: "agent-exited" },
      });
      expect(eventsOf(watcher, "agent-exited")).toMatchObject([{ signal: "SIGKILL" }]);
      expect(marked(before!.mark).filter(lives)).toEqual([]);

      const saidBefore = watcher.said;
      expect(await turn(session, watcher, "Which number?")).toMatchObject({
        stopReason: "end_turn",
      });
      // The replayed history is not logged twice.
      expect(watcher.said.slice(saidBefore.length)).toBe("It is 4711.");
      const [first, second, ...more] = eventsOf(watcher, "agent-started");
      expect(more).toEqual([]);
      const forgot = agent.mayForget === true && second?.how === "transcript";
      expect(second?.how).toBe(forgot ? "transcript" : agent.comesBackBy);
      expect(second?.agentSessionId === first?.agentSessionId).toBe(!forgot);
      const messages = gateway.asked.at(-1)?.messages ?? [];
      const told = messages.map(({ role, text }) => `${role}: ${text}`).join("\n");
      expect(told).toMatch(/The number is 4711[^]*I will remember it\./);
      expect(told).toMatch(/user: [^]*Which number\?/);
      const isOwn = messages.some(
        ({ role, text }) => role === "assistant" && text.includes("I will remember it."),
      );
      expect(isOwn).toBe(!forgot);
    });

    test("closed, it leaves no process behind", async () => {
      await using gateway = await RealAgentGateway.open(agent, ["Hello."]);
      const { session, watcher } = await gateway.openSession();
      await turn(session, watcher, "Hello");
      const [running] = await gateway.running();
      expect(marked(running!.mark)).toContain(running!.pid);
      await session.close("tester");
      expect(marked(running!.mark).filter(lives)).toEqual([]);
      expect(watcher.kinds.slice(-2)).toEqual(["agent-exited", "session-closed"]);
    });
  });
}

/** The model sends this much and then nothing until the agent disconnects. */
function endless(text: string): Reply {
  return { parts: [{ type: "text", text, chunkLength: 10 }], trouble: { kind: "hang" } };
}
