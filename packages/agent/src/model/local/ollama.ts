import type { Environment } from "../provider-settings.ts";
import { countOf, fieldsOf, objectsOf, textOf, type Query } from "./query-server.ts";
import type { LocalModel, LocalServerKind } from "./server-kind.ts";

export const ollama: LocalServerKind = {
  id: "ollama",
  name: "Ollama",
  port: 11_434,
  path: "/v1",
  contextAdvice:
    "Start Ollama with OLLAMA_CONTEXT_LENGTH=32768: it silently truncates longer prompts.",
  async probe(quick, slow, environment) {
    const [version, tags, props] = await Promise.all([
      quick("/api/version"),
      quick("/api/tags"),
      quick("/props"),
    ]);
    const models = objectsOf(fieldsOf(tags)["models"]);
    const isOllama = textOf(fieldsOf(version)["version"]) !== undefined;
    // llama.cpp implements Ollama's API too, and is recognised by this.
    const isOther = fieldsOf(props)["default_generation_settings"] !== undefined;
    if (!isOllama || isOther || models === undefined) return null;
    const loaded = await loadedContexts(slow);
    const found = await Promise.all(
      models.map(async (model) => {
        const id = textOf(model["model"]) ?? textOf(model["name"]);
        if (id === undefined) return [];
        const shown = fieldsOf(await slow("/api/show", { model: id }));
        return described(id, shown, loaded.get(id) ?? contextOf(environment));
      }),
    );
    return found.flat();
  },
};

/** Loaded models report their effective context size. */
async function loadedContexts(query: Query): Promise<Map<string, number>> {
  const running = objectsOf(fieldsOf(await query("/api/ps"))["models"]) ?? [];
  return new Map(
    running.flatMap((model) => {
      const id = textOf(model["model"]) ?? textOf(model["name"]);
      const context = countOf(model["context_length"]);
      return id === undefined || context === undefined ? [] : [[id, context] as const];
    }),
  );
}

function described(
  id: string,
  shown: Record<string, unknown>,
  effective: number | undefined,
): LocalModel[] {
  const capabilities = Array.isArray(shown["capabilities"])
    ? (shown["capabilities"] as unknown[])
    : undefined;
  if (capabilities !== undefined && !capabilities.includes("completion")) return [];
  const can = (what: string) => capabilities?.includes(what);
  return [
    {
      id,
      contextTokens: smallest(trainedContext(shown), numCtx(shown) ?? effective),
      image: can("vision"),
      tools: can("tools"),
      thinks: can("thinking"),
    },
  ];
}

function trainedContext(shown: Record<string, unknown>): number | undefined {
  const info = fieldsOf(shown["model_info"]);
  const key = Object.keys(info).find((name) => name.endsWith(".context_length"));
  return key === undefined ? undefined : countOf(info[key]);
}

/** `parameters` is text with one `name value` per line. */
function numCtx(shown: Record<string, unknown>): number | undefined {
  const value = /^num_ctx\s+(\d+)\s*$/m.exec(textOf(shown["parameters"]) ?? "")?.[1];
  return value === undefined ? undefined : countOf(Number(value));
}

function contextOf(environment: Environment): number | undefined {
  return countOf(Number(environment["OLLAMA_CONTEXT_LENGTH"]));
}

/** Undefined without an effective size: Ollama's default is small, whatever the model was trained for. */
function smallest(trained: number | undefined, effective: number | undefined): number | undefined {
  if (effective === undefined) return undefined;
  return Math.min(trained ?? effective, effective);
}

/** Parses `OLLAMA_HOST` like Ollama; a wildcard address becomes loopback. */
export function ollamaOrigin(host: string | undefined): string | undefined {
  const text = host?.trim() ?? "";
  if (text === "") return undefined;
  const hasScheme = /^https?:\/\//i.test(text);
  const address = hasScheme ? text : `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (!hasScheme && url.port === "" && !text.endsWith(":80")) url.port = "11434";
  return url.origin;
}
