import { modelLimits } from "../limits.ts";
import { describeModel } from "./catalog.ts";
import { queryServer } from "./local/query-server.ts";
import { knownServers, openAiList } from "./local/known-servers.ts";
import { ollamaOrigin } from "./local/ollama.ts";
import type { LocalModel, LocalServerKind } from "./local/server-kind.ts";
import type { ModelInfo } from "./model.ts";
import type { Environment } from "./provider-settings.ts";

/** Timeout for the details of models. Then defaults are used. */
const detailsMs = 3_000;
/** A smaller context hardly fits an agent's instructions: there is a notice. */
const smallContextTokens = 16_000;

/** A server that answered. Its models with tool support come first. */
export interface LocalServer {
  id: string;
  name: string;
  baseUrl: string;
  models: ModelInfo[];
  /** Warnings for the user. */
  notices: string[];
}

/** Origins by server id, which replace the default ports on this machine. */
export type LocalAddresses = Readonly<Record<string, string>>;

export interface LocalSearch {
  environment: Environment;
  addresses?: LocalAddresses;
  /** Timeout of the first response; default: `modelLimits.probeMs`. */
  probeMs?: number;
  signal: AbortSignal;
}

/** The assumed context size when a server does not report one. */
const USUAL_CONTEXT_TOKENS = 32_768;

/** Probes all known servers in parallel. Never throws: a server that does not answer in time is omitted. */
export async function findLocalServers(search: LocalSearch): Promise<LocalServer[]> {
  const found = await Promise.all(knownServers.map((kind) => probeServer(kind, search)));
  return found.filter((server) => server !== null);
}

export function localOrigin(id: string, search: Omit<LocalSearch, "signal">): string | undefined {
  const kind = knownServers.find((each) => each.id === id);
  if (kind === undefined) return undefined;
  const host = id === "ollama" ? ollamaOrigin(search.environment["OLLAMA_HOST"]) : undefined;
  return search.addresses?.[id] ?? host ?? `http://127.0.0.1:${kind.port}`;
}

/** The base URL for the AI SDK, whether or not the server runs. */
export function localBaseUrl(id: string, search: Omit<LocalSearch, "signal">): string | undefined {
  const kind = knownServers.find((each) => each.id === id);
  const origin = localOrigin(id, search);
  return kind === undefined || origin === undefined ? undefined : `${origin}${kind.path}`;
}

/** The models of the user's own server (`OPENAI_BASE_URL`); null when it lists none. */
export async function listModels(baseUrl: string, signal: AbortSignal): Promise<string[] | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(detailsMs)]);
  const models = await openAiList(queryServer(baseUrl, inTime), "/models");
  return models?.map(({ id }) => id) ?? null;
}

async function probeServer(
  kind: LocalServerKind,
  search: LocalSearch,
): Promise<LocalServer | null> {
  const origin = localOrigin(kind.id, search);
  if (origin === undefined) return null;
  const within = (limitMs: number) =>
    queryServer(origin, AbortSignal.any([search.signal, AbortSignal.timeout(limitMs)]));
  const quick = within(search.probeMs ?? modelLimits.probeMs);
  const slow = within(detailsMs);
  const models = await kind.probe(quick, slow, search.environment);
  if (models === null || models.length === 0) return null;
  const infos = models.map((model) => infoOf(kind, model));
  return {
    id: kind.id,
    name: kind.name,
    baseUrl: `${origin}${kind.path}`,
    models: [...infos.filter(({ tools }) => tools), ...infos.filter(({ tools }) => !tools)],
    notices: noticesOf(kind, models),
  };
}

function infoOf(kind: LocalServerKind, model: LocalModel): ModelInfo {
  const contextTokens = model.contextTokens ?? USUAL_CONTEXT_TOKENS;
  const provider = { id: kind.id, name: kind.name, kind: "openai-compatible" as const };
  return {
    ...describeModel(provider, model.id, undefined),
    name: model.name ?? model.id,
    contextTokens,
    outputTokens: Math.min(8_192, Math.ceil(contextTokens / 4)),
    cost: { input: 0, output: 0 },
    takes: { image: model.image ?? false, audio: model.audio ?? false, document: false },
    tools: model.tools ?? true,
    efforts: model.thinks === true ? ["low", "medium", "high"] : [],
    prefersPatches: false,
  };
}

function noticesOf(kind: LocalServerKind, models: readonly LocalModel[]): string[] {
  const small = models.filter(
    ({ contextTokens }) => contextTokens !== undefined && contextTokens < smallContextTokens,
  );
  if (small.length === 0) return [];
  const some = small.slice(0, 3).map(({ id, contextTokens }) => `${id} (${contextTokens} tokens)`);
  const more = small.length > some.length ? ` and ${small.length - some.length} more` : "";
  return [
    `${kind.name} runs ${some.join(", ")}${more} with a context that is too small for an agent. ${kind.contextAdvice}`,
  ];
}
