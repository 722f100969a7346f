import * as path from "node:path";
import { executionText, type SessionView, type ToolCallItem } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { expect, test } from "vitest";
import { turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { answering, inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask } from "../spec/http.ts";

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const inSandbox = { sandbox: "bubblewrap", network: ["example.com"] };
const approval = { by: "level", name: "Sandboxed" };
const _meta = { landline: { execution: { confinement: inSandbox, approval } } };
const call = (toolCallId: string, more: object = {}) => ({
  tool: { toolCallId, title: `Call ${toolCallId}`, kind: "execute", status: "completed", ...more },
});

async function callsOf(
  gateway: ScriptedGateway,
  sessionId: string,
): Promise<readonly ToolCallItem[]> {
  const { json } = await ask(gateway, "GET", `/sessions/${sessionId}`);
  const { items } = json["view"] as SessionView;
  return items.filter((item) => item.type === "tool-call");
}

const wordsOf = (calls: readonly ToolCallItem[]) =>
  calls.map((item) => executionText(item, { person: (id) => id }));

interface Entry {
  readonly what: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A gateway that stops has indexed all logs. */
async function auditedEnds(gateway: ScriptedGateway): Promise<readonly unknown[]> {
  await gateway.restart();
  const { json } = await ask(gateway, "GET", "/audit");
  const ends = (json["entries"] as readonly Entry[]).filter(({ what }) => what === "tool-ended");
  return ends.map(({ detail }) => detail["executed"]);
}

test.concurrent("the view, the export and the audit agree on how calls were executed", async () => {
  const steps = [
    { permission: { toolCall: { toolCallId: "asked", title: "Push" }, options } },
    { toolUpdate: { toolCallId: "asked", status: "completed" } },
    { createTerminal: { command: "echo", args: ["hello"] } },
    call("ran", { content: [{ type: "terminal", terminalId: "{{terminalId}}" }] }),
    { waitForExit: {} },
    // The agent's claims are ignored: it is not the built-in one.
    call("forged", { _meta }),
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const conversation = await opened(gateway);
    await answering(conversation, "go", "allow_once");
    const { id } = conversation.session;
    const calls = await callsOf(gateway, id);
    const words = wordsOf(calls);
    expect(words).toEqual([
      expect.stringMatching(/^Run by agent · .* · allowed once by tester$/),
      expect.stringMatching(/^Run by Landline · .* · not asked$/),
      expect.stringMatching(/^Run by agent · (?!sandboxed).* · not asked$/),
    ]);
    expect(calls.map(({ execution }) => execution.report)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const { json } = await ask(gateway, "GET", `/sessions/${id}/export?format=json`);
    expect(json["executions"]).toMatchObject(
      calls.map(({ toolCallId, execution }, at) => ({ toolCallId, execution, words: words[at] })),
    );
    expect(await auditedEnds(gateway)).toEqual(words);
  });
});

test.concurrent("a rejected call names who rejected it", async () => {
  const steps = [
    { permission: { toolCall: { toolCallId: "1", title: "Push" }, options } },
    { toolUpdate: { toolCallId: "1", status: "failed" } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const conversation = await opened(gateway);
    await answering(conversation, "go", "reject_once");
    const words = ["Requested by agent · rejected by tester"];
    expect(wordsOf(await callsOf(gateway, conversation.session.id))).toEqual(words);
    expect(await auditedEnds(gateway)).toEqual(words);
  });
});

test.concurrent("reports of the built-in agent are trusted, but not those of a configured agent in its place", async () => {
  await inGateway({ agent: { turns: [{ steps: [call("1", { _meta })] }] } }, async (gateway) => {
    const command = scriptedAgentCommand(path.join(gateway.folder, "agent.json"));
    const builtInAgent = { id: "agent", name: "Ours", ...command };
    const executed = async () => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      const started = await watcher.until("agent-started");
      return { isBuiltIn: started.isBuiltIn, words: wordsOf(await callsOf(gateway, session.id)) };
    };
    await gateway.stop();
    await gateway.start({ builtInAgent });
    expect(await executed()).toEqual({
      isBuiltIn: undefined,
      words: [expect.stringMatching(/^Run by agent · (?!sandboxed).* · not asked$/)],
    });
    await gateway.stop();
    await gateway.start({ builtInAgent, agents: [] });
    const words = ["Run by Landline agent · sandboxed (example.com) · not asked: level Sandboxed"];
    expect(await executed()).toEqual({ isBuiltIn: true, words });
    expect((await auditedEnds(gateway)).at(-1)).toBe(words[0]);
  });
});
