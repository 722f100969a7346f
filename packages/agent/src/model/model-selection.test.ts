import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "@landline/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../config/config.ts";
import { openCredentials, type Credentials } from "./credentials.ts";
import { knownServers } from "./local/known-servers.ts";
import { openModels, type ModelsOptions, type OpenModels } from "./model-selection.ts";
import { streamStep } from "./stream.ts";

let home: string;
let credentials: Credentials;
const opened: OpenModels[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landline-models-"));
  credentials = await openCredentials({ environment: {}, home });
});
afterEach(async () => {
  for (const models of opened.splice(0)) models.close();
  await rm(home, { recursive: true });
});

/** Nothing listens at port 9. */
const nowhere = Object.fromEntries(knownServers.map(({ id }) => [id, "http://127.0.0.1:9"]));

function open(
  config: Partial<Config> = {},
  environment: Record<string, string> = {},
  more: Partial<ModelsOptions> = {},
): OpenModels {
  const models = openModels({
    config: {
      model: undefined,
      smallModel: undefined,
      providers: {},
      localProviders: true,
      ...config,
    },
    credentials,
    environment,
    paceMs: 0,
    localAddresses: nowhere,
    localProbeMs: 10_000,
    ...more,
  });
  opened.push(models);
  return models;
}

async function say(models: OpenModels, id: string): Promise<string> {
  const info = models.find(id);
  if (info === null) throw new Error(`There is no ${id}.`);
  let text = "";
  const step = streamStep({
    model: await models.open(info),
    system: "",
    messages: [{ role: "user", content: "Hello" }],
    tools: [],
    providerOptions: models.effortOptions(info, undefined),
    signal: new AbortController().signal,
  });
  for await (const part of step) if (part.type === "text-delta") text += part.delta;
  return text;
}

describe("the default", () => {
  test("is the demo if nothing else is available, and says so", () => {
    const models = open();
    expect(models.default()).toMatchObject({ id: "demo/guide", name: "Demo (no AI)" });
    expect(models.whyDefault()).toContain("no key");
    expect(models.list().map(({ id }) => id)).toEqual(["demo/guide"]);
  });

  test("is the configured model, before any key", () => {
    const models = open(
      { model: "openai/gpt-5.4" },
      { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" },
    );
    expect(models.default().id).toBe("openai/gpt-5.4");
    expect(models.whyDefault()).toContain("config");
  });

  test("is the configured model even without its key: opening it reports the missing key", async () => {
    const models = open({ model: "openai/gpt-5.4" }, { ANTHROPIC_API_KEY: "k" });
    expect(models.default().id).toBe("openai/gpt-5.4");
    await expect(models.open(models.default())).rejects.toMatchObject({
      reason: "sign-in-needed",
      message: expect.stringContaining("OPENAI_API_KEY") as string,
    });
  });

  test.each([
    [{ GROQ_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "anthropic/claude-sonnet-5-5"],
    [{ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }, "openai/gpt-6.1-sol"],
    [{ GEMINI_API_KEY: "k" }, "google/gemini-4-argon"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, "google/gemini-4-argon"],
    [{ OPENROUTER_API_KEY: "k" }, "openrouter/anthropic/claude-sonnet-5.5"],
    [{ DEEPSEEK_API_KEY: "k" }, "deepseek/deepseek-v4-pro"],
    [{ XAI_API_KEY: "k" }, "xai/grok-4.6"],
    [{ MISTRAL_API_KEY: "k" }, "mistral/devstral-medium-latest"],
    [{ GROQ_API_KEY: "k" }, "groq/openai/gpt-oss-120b"],
    [{ ANTHROPIC_API_KEY: "  " }, "demo/guide"],
  ] as [Record<string, string>, string][])("by environment: %j is %s", (environment, expected) => {
    expect(open({}, environment).default().id).toBe(expected);
  });

  test("by a stored key, as soon as it is stored", async () => {
    const models = open();
    let told = 0;
    models.onChange(() => (told += 1));
    await credentials.store("xai", "k");
    expect(models.default().id).toBe("xai/grok-4.6");
    expect(models.whyDefault()).toContain("stored keys");
    expect(told).toBe(1);
  });

  test("by a provider of the config", () => {
    const own = { baseUrl: "http://127.0.0.1:9/v1", models: { "a/b": { name: "AB" } } };
    expect(open({ providers: { own } }).default()).toMatchObject({ id: "own/a/b", name: "AB" });
    expect(open({ providers: { own: { ...own, models: {} } } }).default().id).toBe("demo/guide");
  });

  test("an unknown configured model is reported, and the next choice is used", () => {
    const models = open({ model: "antropic/claude", smallModel: "nope" }, { XAI_API_KEY: "k" });
    expect(models.default().id).toBe("xai/grok-4.6");
    expect(models.notices()).toEqual([
      expect.stringContaining("“antropic/claude”"),
      expect.stringContaining("“nope”"),
    ]);
  });

  test("is a local server, once it is found, and is reported", async () => {
    await using server = await startModelServer({ script: ["Hello from here."], models: ["tiny"] });
    const models = open({}, {}, { localAddresses: { ...nowhere, ollama: server.url } });
    expect(models.default().id).toBe("demo/guide");
    const { promise, resolve } = Promise.withResolvers<void>();
    models.onChange(resolve);
    await promise;
    expect(models.default().id).toBe("ollama/tiny");
    expect(models.list().map(({ id }) => id)).toEqual(["ollama/tiny", "demo/guide"]);
    expect(await say(models, "ollama/tiny")).toBe("Hello from here.");
    await server.close();
    await models.refresh();
    expect(models.default().id).toBe("demo/guide");
  });

  test("is never a local server if the config turns them off", async () => {
    await using server = await startModelServer({ script: [] });
    const localAddresses = { ...nowhere, ollama: server.url };
    const models = open({ localProviders: false }, {}, { localAddresses });
    await models.settled();
    expect(models.default().id).toBe("demo/guide");
    expect(models.find("ollama/tiny")).toBeNull();
  });

  test("is a server at OPENAI_BASE_URL that needs no key", async () => {
    await using server = await startModelServer({ script: ["Mine."], models: ["my-model"] });
    const models = open({}, { OPENAI_BASE_URL: `${server.url}/v1` });
    await models.settled();
    expect(models.default().id).toBe("openai/my-model");
    expect(await say(models, "openai/my-model")).toBe("Mine.");
    expect(server.requests[0]?.provider).toBe("openai-chat");
  });

  test("OpenAI itself is not asked for its models without a key", async () => {
    const models = open({}, { OPENAI_BASE_URL: "not an address" });
    await models.settled();
    expect(models.list().map(({ id }) => id)).toEqual(["demo/guide"]);
    expect(models.notices()).toEqual([expect.stringContaining("OPENAI_BASE_URL")]);
  });

  test("is the script, when there is one", async () => {
    const script = join(home, "script.jsonl");
    await writeFile(script, '{"say":"Scripted."}\n');
    const models = open({ model: "openai/gpt-5.4" }, {}, { script });
    expect(models.default().id).toBe("script/replay");
    expect(await say(models, "script/replay")).toBe("Scripted.");
    expect(open().find("script/replay")).toBeNull();
  });
});

test("a local server in the config is used as configured", async () => {
  await using server = await startModelServer({ script: ["Hi."], models: ["tiny"] });
  const ollama = {
    baseUrl: `${server.url}/v1`,
    models: { tiny: { contextTokens: 99_000 }, other: {} },
  };
  const models = open(
    { providers: { ollama } },
    {},
    { localAddresses: { ...nowhere, ollama: server.url } },
  );
  await models.settled();
  expect(models.list().map(({ id }) => id)).toEqual(["ollama/tiny", "ollama/other", "demo/guide"]);
  expect(models.find("ollama/tiny")?.contextTokens).toBe(99_000);
  expect(await say(models, "ollama/other")).toBe("Hi.");
});

describe("find", () => {
  test("by provider and model, which may contain slashes", () => {
    const models = open({}, { OPENROUTER_API_KEY: "k" });
    expect(models.find("openrouter/some/new:free")).toMatchObject({
      id: "openrouter/some/new:free",
      providerName: "OpenRouter",
    });
  });

  test("by the model's name only", () => {
    expect(open({}, { OPENROUTER_API_KEY: "k" }).find("x-ai/grok-4.7")).toBeNull();
    expect(open({}, { ANTHROPIC_API_KEY: "k" }).find("claude-opus-5-5")?.id).toBe(
      "anthropic/claude-opus-5-5",
    );
    expect(() => open().find("claude-opus-5-5")).toThrow(/login anthropic/);
    expect(open().find("no-such-thing")).toBeNull();
  });

  test("an unknown id is null; a provider without a key explains how to sign in", () => {
    const models = open();
    for (const id of ["", "/", "anthropic/", "nope/model", "__proto__/x", "constructor/x"])
      expect(models.find(id)).toBeNull();
    expect(() => models.find("google/gemini-4-argon")).toThrow(
      expect.objectContaining({ reason: "sign-in-needed" }),
    );
  });

  test("a server that does not run is known, and opening it reports that", async () => {
    const models = open();
    const info = models.find("ollama/qwen3");
    expect(info).toMatchObject({ id: "ollama/qwen3", providerName: "Ollama" });
    await expect(models.open(info!)).rejects.toMatchObject({
      reason: "unreachable",
      message: expect.stringContaining("Start it") as string,
    });
  });

  test("a model of a provider that was removed from the config", async () => {
    const own = { baseUrl: "http://127.0.0.1:9/v1", models: { m: {} } };
    const info = open({ providers: { own } }).default();
    await expect(open().open(info)).rejects.toMatchObject({ reason: "unknown-model" });
  });
});

describe("small", () => {
  test("is the provider's own, or the config's, or the model itself", () => {
    const environment = { ANTHROPIC_API_KEY: "k" };
    const models = open({}, environment);
    expect(models.small(models.default()).id).toBe("anthropic/claude-haiku-5-5");
    const named = open({ smallModel: "anthropic/claude-haiku-4-5" }, environment);
    expect(named.small(named.default()).id).toBe("anthropic/claude-haiku-4-5");
    const keyless = open({ smallModel: "openai/gpt-6-luna" }, environment);
    expect(keyless.small(keyless.default()).id).toBe("anthropic/claude-haiku-5-5");
    const demo = open();
    expect(demo.small(demo.default()).id).toBe("demo/guide");
    const own = { baseUrl: "http://127.0.0.1:9/v1", models: { m: {} } };
    const proxied = open({ providers: { anthropic: { ...own, apiKey: "k" } } });
    expect(proxied.small(proxied.default()).id).toBe("anthropic/m");
  });
});

describe("addresses and keys", () => {
  test.each([
    [{ ANTHROPIC_API_KEY: "k" }, "ANTHROPIC_BASE_URL", "", "anthropic/claude-x", "anthropic"],
    [{ ANTHROPIC_API_KEY: "k" }, "ANTHROPIC_BASE_URL", "/v1", "anthropic/claude-x", "anthropic"],
    [{ OPENAI_API_KEY: "k" }, "OPENAI_BASE_URL", "/v1", "openai/gpt-x", "openai-responses"],
    [{ GEMINI_API_KEY: "k" }, "GOOGLE_GEMINI_BASE_URL", "", "google/gemini-x", "gemini"],
    [{ GROQ_API_KEY: "k" }, "GROQ_BASE_URL", "/v1", "groq/a/b", "openai-chat"],
  ])("%j with %s%s", async (key, variable, path, id, provider) => {
    await using server = await startModelServer({ script: ["Hi."] });
    const models = open({}, { ...key, [variable]: `${server.url}${path}` });
    expect(await say(models, id)).toBe("Hi.");
    expect(server.requests[0]?.provider).toBe(provider);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain("k");
  });

  test("the config overrides the environment, for address, key and kind", async () => {
    await using server = await startModelServer({ script: ["Hi."] });
    const openai = {
      baseUrl: `${server.url}/v1`,
      apiKey: "from-config",
      kind: "openai-compatible" as const,
      headers: { "x-a": "b" },
      models: {},
    };
    const environment = { OPENAI_API_KEY: "from-env", OPENAI_BASE_URL: "http://127.0.0.1:9" };
    expect(await say(open({ providers: { openai } }, environment), "openai/m")).toBe("Hi.");
    expect(server.requests[0]).toMatchObject({
      provider: "openai-chat",
      headers: { authorization: "Bearer from-config", "x-a": "b" },
    });
  });

  test("an invalid address is reported and ignored", () => {
    const models = open({}, { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "localhost:4000" });
    expect(models.notices()).toEqual([expect.stringContaining("ANTHROPIC_BASE_URL")]);
    expect(models.default().provider).toBe("anthropic");
  });

  test("no key of this process's own environment is used", async () => {
    await using server = await startModelServer({ script: ["Hi."] });
    const own = { kind: "anthropic" as const, baseUrl: server.url, models: { m: {} } };
    process.env["ANTHROPIC_API_KEY"] = "of-the-machine";
    try {
      expect(await say(open({ providers: { own } }), "own/m")).toBe("Hi.");
    } finally {
      delete process.env["ANTHROPIC_API_KEY"];
    }
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("of-the-machine");
  });
});

test("after close there are no notifications and no searches", async () => {
  const models = open();
  let told = 0;
  models.onChange(() => (told += 1));
  models.close();
  await models.refresh();
  await credentials.store("xai", "k");
  expect(told).toBe(0);
});
