import type { ProviderConfig } from "../config/config.ts";
import { catalogIds, describeModel } from "./catalog.ts";
import { knownProvider, knownProviders } from "./known-providers.ts";
import type { ModelInfo } from "./model.ts";
import { providerSettings, type ProviderSettings, type Sources } from "./provider-settings.ts";

/** Providers that are reached with a key or at an address of the user's, and their models. */
export class RemoteProviders {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Those that we know in their order, then those of the config. */
  ids(): string[] {
    const known = knownProviders.map(({ id }) => id);
    const own = Object.keys(this.#sources.config.providers).filter((id) => !known.includes(id));
    return [...known, ...own];
  }

  settings(id: string): ProviderSettings | null {
    return providerSettings(id, this.#sources);
  }

  /** Those that can be used now, in the order in which one is chosen. */
  usable(): ProviderSettings[] {
    return this.ids().flatMap((id) => {
      const settings = this.settings(id);
      return settings?.usable === true ? [settings] : [];
    });
  }

  models(settings: ProviderSettings): ModelInfo[] {
    const known = this.#hasOwnModels(settings.id) ? [] : catalogIds(settings.id);
    const ids = new Set([...known, ...this.#ownIds(settings.id)]);
    return [...ids].map((id) => this.describe(settings, id));
  }

  describe(settings: ProviderSettings, modelId: string): ModelInfo {
    const models = this.#config(settings.id)?.models ?? {};
    return describeModel(
      settings,
      modelId,
      Object.hasOwn(models, modelId) ? models[modelId] : undefined,
    );
  }

  defaultModel(settings: ProviderSettings): ModelInfo | null {
    const [own] = this.#ownIds(settings.id);
    const known = knownProvider(settings.id)?.defaultModel;
    const modelId = this.#hasOwnModels(settings.id) ? own : (known ?? own);
    return modelId === undefined ? null : this.describe(settings, modelId);
  }

  /** For titles and summaries; null when the provider has none that we know of. */
  smallModel(providerId: string): ModelInfo | null {
    const settings = this.settings(providerId);
    const small = knownProvider(providerId)?.smallModel;
    const hasIt = settings?.usable === true && !this.#hasOwnModels(providerId);
    return hasIt && small !== undefined ? this.describe(settings, small) : null;
  }

  /** At another address there are other models: those that the config names. */
  #hasOwnModels(id: string): boolean {
    return this.#config(id)?.baseUrl !== undefined && this.#ownIds(id).length > 0;
  }

  #ownIds(id: string): string[] {
    return Object.keys(this.#config(id)?.models ?? {});
  }

  #config(id: string): ProviderConfig | undefined {
    const { providers } = this.#sources.config;
    return Object.hasOwn(providers, id) ? providers[id] : undefined;
  }
}
