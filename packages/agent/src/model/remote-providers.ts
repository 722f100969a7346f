import type { ProviderConfig } from "../config/config.ts";
import { catalogIds, describeModel } from "./catalog.ts";
import { knownProvider, knownProviders } from "./known-providers.ts";
import type { ModelInfo } from "./model.ts";
import { providerSettings, type ProviderSettings, type Sources } from "./provider-settings.ts";

/** Providers with a key or a configured address, and their models. */
export class RemoteProviders {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Known providers in their order, then configured ones. */
  ids(): string[] {
    const known = knownProviders.map(({ id }) => id);
    const own = Object.keys(this.#sources.config.providers).filter((id) => !known.includes(id));
    return [...known, ...own];
  }

  settings(id: string): ProviderSettings | null {
    return providerSettings(id, this.#sources);
  }

  /** The usable providers, in order of preference. */
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

  /** The model for titles and summaries; null when the provider has none. */
  smallModel(providerId: string): ModelInfo | null {
    const settings = this.settings(providerId);
    const small = knownProvider(providerId)?.smallModel;
    const hasIt = settings?.usable === true && !this.#hasOwnModels(providerId);
    return hasIt && small !== undefined ? this.describe(settings, small) : null;
  }

  /** With a configured address, only the configured models apply. */
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
