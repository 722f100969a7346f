import type { IncomingHttpHeaders } from "node:http";

const releasedAt = "2026-01-01T00:00:00Z";
const releasedAtSeconds = Date.parse(releasedAt) / 1000;
const contextTokens = 200_000;
const outputTokensMax = 32_000;

interface ListQuestion {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly models: readonly string[];
}

/** Answers requests for the list of models. Undefined for other paths. */
export function answerModelList({ method, path, headers, models }: ListQuestion): unknown {
  const form = headers["anthropic-version"] === undefined ? openaiModel : anthropicModel;
  switch (`${method} ${path}`) {
    case "GET /v1/models":
      return form === openaiModel
        ? { object: "list", data: models.map(openaiModel) }
        : {
            data: models.map(anthropicModel),
            has_more: false,
            first_id: models[0] ?? null,
            last_id: models.at(-1) ?? null,
          };
    case "GET /v1beta/models":
      return { models: models.map(geminiModel) };
    case "GET /api/tags":
      return { models: models.map(ollamaModel) };
    case "GET /api/version":
      return { version: "0.12.0" };
    case "POST /api/show":
      return ollamaShow;
    default:
      return answerOneModel(`${method} ${path}`, models, form);
  }
}

function answerOneModel(
  question: string,
  models: readonly string[],
  form: (id: string) => unknown,
): unknown {
  const [, version, id] = /^GET \/(v1|v1beta)\/models\/([^/:]+)$/.exec(question) ?? [];
  if (id === undefined || !models.includes(decodeURIComponent(id))) return undefined;
  return version === "v1" ? form(decodeURIComponent(id)) : geminiModel(decodeURIComponent(id));
}

function openaiModel(id: string) {
  return { id, object: "model", created: releasedAtSeconds, owned_by: "scripted" };
}

function anthropicModel(id: string) {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: releasedAt,
    lifecycle: "active",
    line: null,
    capabilities: null,
    max_input_tokens: contextTokens,
    max_tokens: outputTokensMax,
    deprecated_at: null,
    retires_at: null,
  };
}

function geminiModel(id: string) {
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    description: "A scripted model",
    inputTokenLimit: contextTokens,
    outputTokenLimit: outputTokensMax,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    temperature: 1,
    topP: 0.95,
    topK: 64,
    maxTemperature: 2,
    thinking: true,
  };
}

const ollamaDetails = {
  parent_model: "",
  format: "gguf",
  family: "scripted",
  families: ["scripted"],
  parameter_size: "8B",
  quantization_level: "Q4_K_M",
};

function ollamaModel(name: string) {
  return {
    name,
    model: name,
    modified_at: releasedAt,
    size: 4_000_000_000,
    digest: "0".repeat(64),
    details: ollamaDetails,
  };
}

const ollamaShow = {
  license: "",
  modelfile: "",
  parameters: "",
  template: "{{ .Prompt }}",
  details: ollamaDetails,
  model_info: {
    "general.architecture": "scripted",
    "scripted.context_length": contextTokens,
  },
  capabilities: ["completion", "tools", "thinking"],
  modified_at: releasedAt,
};
