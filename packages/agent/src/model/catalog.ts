import catalog from "./catalog.json" with { type: "json" };
import type { ProviderConfig } from "../config/config.ts";
import type { ModelInfo } from "./model.ts";

/**
 * An entry of catalog.json. `cost` is dollars per million tokens: input, output, cached read, cached write.
 */
interface CatalogEntry {
  name: string;
  context: number;
  output: number;
  cost?: (number | null)[];
  takes: string[];
  efforts: string[];
}

type ModelConfig = ProviderConfig["models"][string];
type Provider = { id: string; name: string; kind: NonNullable<ProviderConfig["kind"]> };

const entries: Record<string, Record<string, CatalogEntry>> = catalog;

export function catalogIds(providerId: string): string[] {
  return Object.keys(entries[providerId] ?? {});
}

/**
 * Combines the user's configuration, the catalogue, and defaults for unknown models. A model that is newer
 * than the catalogue works, without a price.
 */
export function describeModel(
  provider: Provider,
  modelId: string,
  config: ModelConfig | undefined,
): ModelInfo {
  const entry = entryOf(provider.id, modelId);
  const known = entry === undefined ? unknownModel(provider, modelId) : knownModel(entry);
  return {
    id: `${provider.id}/${modelId}`,
    provider: provider.id,
    providerName: provider.name,
    ...known,
    ...(config === undefined ? {} : configured(known, config)),
    prefersPatches: /(^|\/)gpt-([5-9]|\d\d)/.test(modelId),
  };
}

type Known = Omit<ModelInfo, "id" | "provider" | "providerName" | "prefersPatches">;

function entryOf(providerId: string, modelId: string): CatalogEntry | undefined {
  const models = entries[providerId];
  return models !== undefined && Object.hasOwn(models, modelId) ? models[modelId] : undefined;
}

function knownModel(entry: CatalogEntry): Known {
  const [input, output, cachedRead, cachedWrite] = entry.cost ?? [];
  return {
    name: entry.name,
    contextTokens: entry.context,
    outputTokens: entry.output,
    takes: {
      image: entry.takes.includes("image"),
      audio: entry.takes.includes("audio"),
      document: entry.takes.includes("document"),
    },
    tools: true,
    efforts: entry.efforts,
    ...(typeof input === "number" && typeof output === "number"
      ? {
          cost: {
            input,
            output,
            ...(typeof cachedRead === "number" ? { cachedRead } : {}),
            ...(typeof cachedWrite === "number" ? { cachedWrite } : {}),
          },
        }
      : {}),
  };
}

/** Models of the large providers all accept images; others must be configured. */
function unknownModel({ kind }: Provider, modelId: string): Known {
  const large = kind !== "openai-compatible";
  return {
    name: modelId,
    contextTokens: 128_000,
    outputTokens: 8_192,
    takes: { image: large, audio: false, document: large },
    tools: true,
    efforts: [],
  };
}

function configured(known: Known, config: ModelConfig): Partial<Known> {
  return {
    name: config.name ?? known.name,
    contextTokens: config.contextTokens ?? known.contextTokens,
    outputTokens: config.outputTokens ?? known.outputTokens,
    takes: { ...known.takes, image: config.image ?? known.takes.image },
    tools: config.tools ?? known.tools,
    efforts: config.efforts ?? known.efforts,
  };
}
