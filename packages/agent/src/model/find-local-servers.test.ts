import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startModelServer } from "@landline/testing";
import { afterEach, describe, expect, test } from "vitest";
import { findLocalServers, listModels, localOrigin } from "./find-local-servers.ts";
import { knownServers } from "./local/known-servers.ts";
import { ollamaOrigin } from "./local/ollama.ts";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers by path; a function receives the request's body. */
function answers(paths: Record<string, unknown>): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = paths[request.url ?? ""];
      response.statusCode = answer === undefined ? 404 : 200;
      const body = Buffer.concat(chunks).toString();
      response.end(
        JSON.stringify(
          typeof answer === "function" ? (answer(JSON.parse(body)) as unknown) : answer,
        ),
      );
    });
  };
}

/** Nothing listens at port 9, so the tests find no real servers. */
const nowhere = Object.fromEntries(knownServers.map(({ id }) => [id, "http://127.0.0.1:9"]));

function find(addresses: Record<string, string>, environment = {}, probeMs = 10_000) {
  const { signal } = new AbortController();
  return findLocalServers({
    environment,
    addresses: { ...nowhere, ...addresses },
    probeMs,
    signal,
  });
}

const list = (...data: object[]) => ({ object: "list", data });

describe("Ollama", () => {
  const ollama = (show: Record<string, unknown>, more = {}) =>
    serve(
      answers({
        "/api/version": { version: "0.20.1" },
        "/api/tags": { models: Object.keys(show).map((model) => ({ name: model, model })) },
        "/api/show": ({ model }: { model: string }) => show[model],
        ...more,
      }),
    );

  test("lists chat models, those with tools first, with the server's details", async () => {
    const origin = await ollama({
      "gemma:2b": { capabilities: ["completion"], model_info: {} },
      "qwen3-coder:30b": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "qwen3.context_length": 262_144 },
        parameters: "stop    x\nnum_ctx    65536\n",
      },
      "llava:7b": { capabilities: ["completion", "vision", "tools"] },
      "nomic-embed": { capabilities: ["embedding"] },
    });
    const [server] = await find({ ollama: origin });
    expect(server).toMatchObject({ id: "ollama", name: "Ollama", baseUrl: `${origin}/v1` });
    expect(server?.models.map(({ id }) => id)).toEqual([
      "ollama/qwen3-coder:30b",
      "ollama/llava:7b",
      "ollama/gemma:2b",
    ]);
    expect(server?.models[0]).toMatchObject({
      contextTokens: 65_536,
      tools: true,
      efforts: ["low", "medium", "high"],
      cost: { input: 0, output: 0 },
    });
    expect(server?.models[1]?.takes.image).toBe(true);
    expect(server?.notices).toEqual([]);
  });

  test("warns about a context that is too small, wherever it is configured", async () => {
    const show = {
      a: { capabilities: ["completion", "tools"], model_info: { "x.context_length": 131_072 } },
    };
    const running = { "/api/ps": { models: [{ model: "a", context_length: 4_096 }] } };
    const [server] = await find({ ollama: await ollama(show, running) });
    expect(server?.models[0]?.contextTokens).toBe(4_096);
    expect(server?.notices[0]).toMatch(/a \(4096 tokens\).*OLLAMA_CONTEXT_LENGTH/);
    const [set] = await find({ ollama: await ollama(show) }, { OLLAMA_CONTEXT_LENGTH: "8192" });
    expect(set?.models[0]?.contextTokens).toBe(8_192);
  });

  test("llama.cpp that answers like Ollama is not Ollama", async () => {
    const props = { "/props": { default_generation_settings: { n_ctx: 8_192 } } };
    expect(await find({ ollama: await ollama({ a: {} }, props) })).toEqual([]);
  });

  test("finds the scripted server", async () => {
    await using server = await startModelServer({ script: [], models: ["tiny"] });
    const [found] = await find({ ollama: server.url });
    expect(found?.models.map(({ id }) => id)).toEqual(["ollama/tiny"]);
  });

  test.each([
    ["10.0.0.5:7000", "http://10.0.0.5:7000"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":9999", "http://127.0.0.1:9999"],
    ["https://gpu.example", "https://gpu.example"],
    ["http://[::]:1234/", "http://127.0.0.1:1234"],
    ["localhost", "http://localhost:11434"],
    ["", undefined],
    ["::::", undefined],
  ])("OLLAMA_HOST %s is %s", (host, expected) => {
    expect(ollamaOrigin(host)).toBe(expected);
  });

  test("OLLAMA_HOST sets the address", () => {
    const environment = { OLLAMA_HOST: "box:1" };
    expect(localOrigin("ollama", { environment })).toBe("http://box:1");
    expect(localOrigin("vllm", { environment })).toBe("http://127.0.0.1:8000");
    expect(localOrigin("openai", { environment })).toBeUndefined();
  });
});

describe("others", () => {
  test("LM Studio, by its current API", async () => {
    const origin = await serve(
      answers({
        "/api/v1/models": {
          models: [
            {
              type: "llm",
              key: "qwen/qwen3.5-9b",
              display_name: "Qwen3.5 9B",
              max_context_length: 262_144,
              loaded_instances: [{ id: "x", config: { context_length: 4_096 } }],
              capabilities: { vision: true, trained_for_tool_use: true },
            },
            { type: "embedding", key: "nomic" },
          ],
        },
      }),
    );
    const [server] = await find({ lmstudio: origin });
    expect(server?.models).toHaveLength(1);
    expect(server?.models[0]).toMatchObject({
      id: "lmstudio/qwen/qwen3.5-9b",
      name: "Qwen3.5 9B",
      contextTokens: 4_096,
      tools: true,
      takes: { image: true },
    });
    expect(server?.notices[0]).toContain("LM Studio");
  });

  test("LM Studio, by its older API", async () => {
    const data = [
      { id: "a", type: "llm", max_context_length: 32_768, capabilities: ["tool_use"] },
      { id: "b", type: "embeddings" },
    ];
    const [server] = await find({
      lmstudio: await serve(answers({ "/api/v0/models": list(...data) })),
    });
    expect(server?.models.map(({ id, tools }) => [id, tools])).toEqual([["lmstudio/a", true]]);
  });

  test("llama.cpp, by its properties", async () => {
    const origin = await serve(
      answers({
        "/props": {
          default_generation_settings: { n_ctx: 65_536 },
          modalities: { vision: true, audio: false },
          chat_template_caps: { supports_tools: false },
        },
        "/v1/models": list({ id: "qwen.gguf", owned_by: "llamacpp" }),
      }),
    );
    const [server] = await find({ llamacpp: origin });
    expect(server?.models[0]).toMatchObject({
      id: "llamacpp/qwen.gguf",
      contextTokens: 65_536,
      tools: false,
      takes: { image: true, audio: false },
    });
  });

  test("vLLM, Jan and Docker Model Runner", async () => {
    const [vllm, jan, docker] = await Promise.all([
      serve(answers({ "/v1/models": list({ id: "v", owned_by: "vllm", max_model_len: 40_960 }) })),
      serve(answers({ "/v1/models": list({ id: "j" }) })),
      serve(answers({ "/engines/v1/models": list({ id: "ai/d", owned_by: "docker" }) })),
    ]);
    const found = await find({ vllm, jan, docker });
    expect(found.map(({ baseUrl }) => baseUrl)).toEqual([
      `${vllm}/v1`,
      `${jan}/v1`,
      `${docker}/engines/v1`,
    ]);
    expect(found[0]?.models[0]?.contextTokens).toBe(40_960);
  });
});

describe("another program at the port is ignored", () => {
  const strangers: Record<string, RequestListener> = {
    "a page": (_, response) => void response.end("<html>Hello</html>"),
    "any JSON": (_, response) => void response.end('{"status":"ok"}'),
    "a list of something else": (_, response) =>
      void response.end('{"object":"list","data":[1,{"name":"x"}]}'),
    "an error": (_, response) => {
      response.statusCode = 500;
      response.end("{}");
    },
    "a redirect": (_, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:9/" });
      response.end();
    },
    silence: () => {},
    "a flood": (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "["))) {}
      };
      response.on("drain", write);
      write();
    },
    "a cut": (request) => void request.socket.destroy(),
  };

  test.each(Object.keys(strangers))("%s", async (name) => {
    const origin = await serve(strangers[name]!);
    const everywhere = Object.fromEntries(knownServers.map(({ id }) => [id, origin]));
    expect(await find(everywhere, {}, 300)).toEqual([]);
    expect(await listModels(`${origin}/v1`, AbortSignal.timeout(200))).toBeNull();
  });

  test("a server without models", async () => {
    const none = { "/api/version": { version: "1" }, "/api/tags": { models: [] } };
    expect(await find({ ollama: await serve(answers(none)) })).toEqual([]);
  });
});
