import { startModelServer, type ModelServer, type Script } from "@landline/testing";
import { afterEach, expect } from "vitest";
import { z } from "zod";
import { ModelProblem } from "../../src/model/model.ts";
import type { ProviderSettings } from "../../src/model/provider-settings.ts";
import { openLanguageModel } from "../../src/model/open-language-model.ts";
import {
  streamStep,
  type OfferedTool,
  type StepPart,
  type StepRequest,
} from "../../src/model/stream.ts";

/** Every protocol of a provider, each through its real package. */
export const kinds = [
  { kind: "anthropic", id: "anthropic", path: "/v1", model: "claude-sonnet-5-5" },
  { kind: "openai", id: "openai", path: "/v1", model: "gpt-6.1-sol" },
  { kind: "google", id: "google", path: "/v1beta", model: "gemini-3.8-flash" },
  { kind: "openai-compatible", id: "openrouter", path: "/v1", model: "some/model" },
] as const;

const read: OfferedTool = {
  name: "read",
  description: "Reads a file.",
  input: z.object({ filePath: z.string(), limit: z.number().optional() }),
};
const remote: OfferedTool = {
  name: "server_echo",
  description: "Says it back.",
  input: { jsonSchema: { properties: { text: { type: "string" } } } },
};

export type Kind = (typeof kinds)[number];

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

export async function openStep({ kind, id, path, model: modelId }: Kind, script: Script) {
  const server = await startModelServer({ script });
  servers.push(server);
  const settings: ProviderSettings = {
    id,
    name: id,
    kind,
    baseUrl: `${server.url}${path}`,
    apiKey: "sk-test-0123456789abcdef",
    keySource: "test",
    headers: { "x-team": "seven" },
    usable: true,
  };
  const model = await openLanguageModel(settings, modelId);
  const step = (request: Partial<StepRequest> = {}) =>
    streamStep({
      model,
      system: "Be brief.",
      messages: [{ role: "user", content: "Hello" }],
      tools: [read, remote],
      signal: new AbortController().signal,
      ...request,
    });
  return { server, step };
}

export async function problemOf(step: AsyncIterable<StepPart>): Promise<ModelProblem> {
  const error: unknown = await collect(step).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ModelProblem);
  return error as ModelProblem;
}

export async function collect(step: AsyncIterable<StepPart>): Promise<StepPart[]> {
  const parts: StepPart[] = [];
  for await (const part of step) parts.push(part);
  return parts;
}

export async function* tapped(step: AsyncIterable<StepPart>, into: StepPart[]) {
  for await (const part of step) {
    into.push(part);
    yield part;
  }
}

export function deltasOf(parts: readonly StepPart[], type: "text-delta" | "thought-delta"): string {
  return parts.map((part) => (part.type === type ? part.delta : "")).join("");
}

export function textOf(parts: readonly StepPart[]): string {
  return deltasOf(parts, "text-delta");
}
