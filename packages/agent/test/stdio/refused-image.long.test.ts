import { startModelServer, type ModelRequest, type Script } from "@landline/testing";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.ts";
import { modelConfig } from "./model-config.ts";

const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
const text = (words: string) => ({ type: "text", text: words });
const isTurn = ({ tools }: ModelRequest) => tools.length > 0;
const images = ({ messages }: ModelRequest) =>
  messages.flatMap(({ attachments }) => attachments).length;

/** Refuses requests with an invalid image, as a provider does. */
const refusing =
  (status: number, message: string): Script =>
  (request) => {
    if (!isTurn(request)) return "A title";
    if (!JSON.stringify(request.body).includes(";base64,AAAA")) return `${images(request)} seen`;
    return { trouble: { kind: "http-error", status, message } };
  };

function told(agent: AgentProcess): string {
  return agent.wire
    .updates()
    .filter((update) => update["sessionUpdate"] === "notice")
    .map((update) => `${String(update["title"])} ${String(update["description"])}`)
    .join("\n");
}

test.each([
  [400, "messages.0.content.1.image.source.base64: Could not process image"],
  [413, "Request exceeds the maximum size"],
  [400, "Your input image was rejected by our safety system."],
])(
  "an image that is refused with %i is omitted, and the session continues",
  async (status, words) => {
    await using server = await startModelServer({ script: refusing(status, words) });
    const environment = { LANDLINE_AGENT_CONFIG_CONTENT: modelConfig(server.url) };
    await using agent = await AgentProcess.start([], environment);
    await agent.initialize({ session: { notices: {} } });
    const sessionId = await agent.open();
    const prompt = async (id: number, ...blocks: object[]) => {
      const answer = await agent.request(id, "session/prompt", { sessionId, prompt: blocks });
      expect(answer).toMatchObject({ result: { stopReason: "end_turn" } });
      return server.requests.findLast(isTurn);
    };
    await prompt(2, text("good"), image("BBBB"));
    const asked = await prompt(3, text("bad"), image("AAAA"), text("after"));
    expect(asked && images(asked)).toBe(1);
    expect(asked?.userText).toMatch(/bad[^]*image[^]*refused[^]*after/u);
    expect(asked?.userText).toContain(words);
    expect(told(agent)).toContain(words);
    const count = server.requests.filter(isTurn).length;
    const next = await prompt(4, text("next"));
    expect(next && images(next)).toBe(1);
    expect(server.requests.filter(isTurn)).toHaveLength(count + 1);
    // The record keeps the image: the person sees it again, the model does not.
    const before = agent.wire.updates().length;
    await agent.request(5, "session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
    const shown = agent.wire.updates().slice(before);
    expect(JSON.stringify(shown)).toContain("AAAA");
    const again = await prompt(6, text("again"));
    expect(again && images(again)).toBe(1);
    expect(server.requests.filter(isTurn)).toHaveLength(count + 2);
    expect(agent.wire.faults()).toEqual([]);
  },
);

test("a refusal that no attachment explains fails the prompt", async () => {
  const message = "Could not process image";
  await using server = await startModelServer({
    script: () => ({ trouble: { kind: "http-error", status: 400, message } }),
  });
  const environment = { LANDLINE_AGENT_CONFIG_CONTENT: modelConfig(server.url) };
  await using agent = await AgentProcess.start([], environment);
  await agent.initialize();
  const sessionId = await agent.open();
  const prompt = [text("x"), image("AAAA"), image("BBBB")];
  const answer = await agent.request(2, "session/prompt", { sessionId, prompt });
  expect(answer).toMatchObject({ error: { message: expect.stringContaining(message) } });
  expect(server.requests.filter(isTurn)).toHaveLength(2);
});
