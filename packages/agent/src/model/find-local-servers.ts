import { modelLimits } from "../limits.ts";
import { describeModel } from "./catalog.ts";
import { asker } from "./local/query-server.ts";
import { localServerKinds, openAiList } from "./local/known-servers.ts";
import { ollamaOrigin } from "./local/ollama.ts";
import type { LocalModel, LocalServerKind } from "./local/server-kind.ts";
import type { ModelInfo } from "./model.ts";
import type { Environment } from "./provider-settings.ts";

/** Asking a server that was found about its models. Then they are listed with what is known of any model. */
const detailsMs = 3_000;
/** Below it an agent's instructions hardly fit: there is a notice. */
const smallContextTokens = 16_000;

/** A server that answered, with its models: those that say that they call tools come first. */
export interface LocalServer {
  id: string;
  name: string;
  baseUrl: string;
  models: ModelInfo[];
  /** What the person should know before using it. */
  notices: string[];
}

/** Origins by id of the server, in place of the usual port on this machine. */
export type LocalAddresses = Readonly<Record<string, string>>;

export interface LocalSearch {
  environment: Environment;
  addresses?: LocalAddresses;
  /** How long a server may take to say what it is; the limit unless told. */
  probeMs?: number;
  signal: AbortSignal;
}

/** What nothing is known about is taken for this. */
const USUAL_CONTEXT_TOKENS = 32_768;

/** Looks at all of them at once. Never throws: what does not answer in time is not there. */
export async function findLocalServers(search: LocalSearch): Promise<LocalServer[]> {
  const found = await Promise.all(localServerKinds.map((kind) => lookAt(kind, search)));
  return found.filter((server) => server !== null);
}

export function localOrigin(id: string, search: Omit<LocalSearch, "signal">): string | undefined {
  const kind = localServerKinds.find((each) => each.id === id);
  if (kind === undefined) return undefined;
  const host = id === "ollama" ? ollamaOrigin(search.environment["OLLAMA_HOST"]) : undefined;
  return search.addresses?.[id] ?? host ?? `http://127.0.0.1:${kind.port}`;
}

/** The address of a server of this kind for the AI SDK, whether or not it answers. */
export function localBaseUrl(id: string, search: Omit<LocalSearch, "signal">): string | undefined {
  const kind = localServerKinds.find((each) => each.id === id);
  const origin = localOrigin(id, search);
  return kind === undefined || origin === undefined ? undefined : `${origin}${kind.path}`;
}

/** The models of a server at an address of the user's own (`OPENAI_BASE_URL`); null when it lists none. */
export async function listModels(baseUrl: string, signal: AbortSignal): Promise<string[] | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(detailsMs)]);
  const models = await openAiList(asker(baseUrl, inTime), "/models");
  return models?.map(({ id }) => id) ?? null;
}

async function lookAt(kind: LocalServerKind, search: LocalSearch): Promise<LocalServer | null> {
  const origin = localOrigin(kind.id, search);
  if (origin === undefined) return null;
  const within = (limitMs: number) =>
    asker(origin, AbortSignal.any([search.signal, AbortSignal.timeout(limitMs)]));
  const soon = within(search.probeMs ?? modelLimits.probeMs);
  const later = within(detailsMs);
  const models = await kind.look(soon, later, search.environment);
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
    `${kind.name} runs ${some.join(", ")}${more} with a context that is too small for an agent. ${kind.widen}`,
  ];
}
