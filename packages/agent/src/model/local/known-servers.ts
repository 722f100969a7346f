import { countOf, fieldsOf, objectsOf, textOf, type Query } from "./query-server.ts";
import { ollama } from "./ollama.ts";
import type { LocalModel, LocalServerKind } from "./server-kind.ts";

const lmStudio: LocalServerKind = {
  id: "lmstudio",
  name: "LM Studio",
  port: 1_234,
  path: "/v1",
  contextAdvice: "Load the model in LM Studio with a context of 32,768 or more.",
  async probe(quick) {
    const [current, older] = await Promise.all([quick("/api/v1/models"), quick("/api/v0/models")]);
    const models = objectsOf(fieldsOf(current)["models"]);
    if (models?.every((model) => textOf(model["key"]) !== undefined)) {
      return models.filter((model) => model["type"] !== "embedding").map(currentStudioModel);
    }
    const list = objectsOf(fieldsOf(older)["data"]);
    if (list === undefined || !list.every((model) => textOf(model["type"]) !== undefined))
      return null;
    return list.filter((model) => model["type"] !== "embeddings").flatMap(olderStudioModel);
  },
};

/** LM Studio's API since 0.4. */
function currentStudioModel(model: Record<string, unknown>): LocalModel {
  const can = fieldsOf(model["capabilities"]);
  const loaded = objectsOf(model["loaded_instances"])?.[0];
  return {
    id: textOf(model["key"]) ?? "",
    name: textOf(model["display_name"]),
    contextTokens:
      countOf(fieldsOf(loaded?.["config"])["context_length"]) ??
      countOf(model["max_context_length"]),
    image: can["vision"] === true,
    tools: can["trained_for_tool_use"] === true,
  };
}

function olderStudioModel(model: Record<string, unknown>): LocalModel[] {
  const id = textOf(model["id"]);
  if (id === undefined) return [];
  const can = model["capabilities"];
  return [
    {
      id,
      contextTokens:
        countOf(model["loaded_context_length"]) ?? countOf(model["max_context_length"]),
      image: model["type"] === "vlm",
      tools: Array.isArray(can) ? (can as unknown[]).includes("tool_use") : undefined,
    },
  ];
}

const llamaCpp: LocalServerKind = {
  id: "llamacpp",
  name: "llama.cpp",
  port: 8_080,
  path: "/v1",
  contextAdvice: "Start llama-server with `--ctx-size 32768 --jinja`.",
  async probe(quick) {
    const [props, models] = await Promise.all([quick("/props"), openAiList(quick, "/v1/models")]);
    const settings = fieldsOf(props)["default_generation_settings"];
    if (settings === undefined || models === null) return null;
    const modalities = fieldsOf(fieldsOf(props)["modalities"]);
    const template = fieldsOf(fieldsOf(props)["chat_template_caps"]);
    return models.map((model) => ({
      id: model.id,
      contextTokens: countOf(fieldsOf(settings)["n_ctx"]),
      image: modalities["vision"] === true,
      audio: modalities["audio"] === true,
      tools:
        template["supports_tools"] === undefined ? undefined : template["supports_tools"] === true,
    }));
  },
};

const vllm: LocalServerKind = {
  id: "vllm",
  name: "vLLM",
  port: 8_000,
  path: "/v1",
  contextAdvice: "Start vLLM with `--max-model-len 32768`.",
  async probe(quick) {
    const models = await openAiList(quick, "/v1/models");
    if (!models?.every((model) => model.ownedBy === "vllm")) return null;
    return models.map(({ id, fields }) => ({
      id,
      contextTokens: countOf(fields["max_model_len"]),
    }));
  },
};

const jan: LocalServerKind = {
  id: "jan",
  name: "Jan",
  port: 1_337,
  path: "/v1",
  contextAdvice: "Give the model a context of 32,768 or more in Jan.",
  async probe(quick) {
    const models = await openAiList(quick, "/v1/models");
    return (
      models?.map(({ id, fields }) => ({ id, contextTokens: countOf(fields["ctx_len"]) })) ?? null
    );
  },
};

const docker: LocalServerKind = {
  id: "docker",
  name: "Docker Model Runner",
  port: 12_434,
  path: "/engines/v1",
  contextAdvice: "Run `docker model configure --context-size 32768 MODEL`.",
  async probe(quick) {
    const models = await openAiList(quick, "/engines/v1/models");
    if (!models?.every((model) => model.ownedBy === "docker")) return null;
    return models.map(({ id }) => ({ id }));
  },
};

export const knownServers: readonly LocalServerKind[] = [
  ollama,
  lmStudio,
  llamaCpp,
  vllm,
  jan,
  docker,
];

type ListedModel = { id: string; ownedBy: string | undefined; fields: Record<string, unknown> };

/** OpenAI's list of models; null when the response has another form. */
export async function openAiList(query: Query, path: string): Promise<ListedModel[] | null> {
  const answer = fieldsOf(await query(path));
  const list = objectsOf(answer["data"]);
  if (answer["object"] !== "list" || list === undefined) return null;
  const models = list.flatMap((fields) => {
    const id = textOf(fields["id"]);
    return id === undefined ? [] : [{ id, ownedBy: textOf(fields["owned_by"]), fields }];
  });
  return models.length === list.length ? models : null;
}
