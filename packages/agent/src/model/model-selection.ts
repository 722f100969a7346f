import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Config } from "../config/config.ts";
import { modelLimits } from "../limits.ts";
import { loadOnce } from "@landline/system/load-once";
import { demoModel, scriptModel } from "./built-in-models.ts";
import { catalogIds } from "./catalog.ts";
import type { Credentials } from "./credentials.ts";
import { effortOptions } from "./reasoning-effort.ts";
import { displayName, knownProvider, knownProviders, signInHint } from "./known-providers.ts";
import { localBaseUrl, type LocalAddresses, type LocalServer } from "./find-local-servers.ts";
import { LocalServers } from "./local-servers.ts";
import { ModelProblem, type ModelInfo, type Models } from "./model.ts";
import { addressProblem, type Environment, type ProviderSettings } from "./provider-settings.ts";
import { openLanguageModel } from "./open-language-model.ts";
import { RemoteProviders } from "./remote-providers.ts";

export interface ModelsOptions {
  config: Pick<Config, "model" | "smallModel" | "providers" | "localProviders">;
  credentials: Credentials;
  environment: Environment;
  /** A script file to play. It becomes the default model. */
  script?: string;
  /** Delay between two chunks of the demo or script model. */
  paceMs?: number;
  /** Replaces the default ports on this machine. */
  localAddresses?: LocalAddresses;
  /** Replaces the probe timeout, for slow machines. */
  localProbeMs?: number;
}

export interface OpenModels extends Models {
  /** Reads keys and searches for servers again. */
  refresh(): Promise<void>;
}

const PACE_MS = 12;

/** Starts the search for local servers and does not wait for it. */
export function openModels(options: ModelsOptions): OpenModels {
  return new ModelSelection(options);
}

type Choice = { info: ModelInfo; why: string };

class ModelSelection implements OpenModels {
  readonly #options: ModelsOptions;
  readonly #remote: RemoteProviders;
  readonly #servers: LocalServers;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  #script: (() => Promise<LanguageModelV4>) | undefined;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#remote = new RemoteProviders(options);
    const changed = () => this.#tell();
    this.#servers = new LocalServers(
      {
        environment: options.environment,
        enabled: options.config.localProviders,
        addresses: options.localAddresses ?? {},
        probeMs: options.localProbeMs ?? modelLimits.probeMs,
        ownServerUrl: this.#ownServerUrl(),
      },
      changed,
    );
    this.#stopListening = options.credentials.onChange(changed);
    void this.#servers.refresh();
  }

  list(): ModelInfo[] {
    return [
      ...(this.#options.script === undefined ? [] : [scriptModel]),
      ...this.#remote.usable().flatMap((settings) => this.#remote.models(settings)),
      ...this.#found().flatMap(({ models }) => models),
      demoModel,
    ];
  }

  default(): ModelInfo {
    return this.#choose().info;
  }

  whyDefault(): string {
    return this.#choose().why;
  }

  small(of: ModelInfo): ModelInfo {
    const { smallModel } = this.#options.config;
    const configured = smallModel === undefined ? null : this.#lookUp(smallModel);
    if (configured !== null && this.#isUsable(configured)) return configured;
    if (this.#server(of.provider) !== undefined) return of;
    return this.#remote.smallModel(of.provider) ?? of;
  }

  find(id: string): ModelInfo | null {
    const info = this.#lookUp(id);
    if (info !== null && !this.#isUsable(info)) throw signInNeeded(info.provider);
    return info;
  }

  async open(info: ModelInfo): Promise<LanguageModelV4> {
    const { script, paceMs = PACE_MS } = this.#options;
    if (info.id === demoModel.id) {
      const { openDemoModel } = await import("./demo/model.ts");
      return openDemoModel({ facts: () => this.#facts(), paceMs });
    }
    if (info.id === scriptModel.id && script !== undefined) {
      this.#script ??= loadOnce(async () => {
        const { openScriptModel } = await import("./script-model.ts");
        return openScriptModel(script, paceMs);
      });
      return await this.#script();
    }
    const settings = await this.#reach(info.provider);
    if (!settings.usable) throw signInNeeded(info.provider);
    return await openLanguageModel(settings, info.id.slice(info.provider.length + 1));
  }

  effortOptions(
    info: ModelInfo,
    effort: string | undefined,
  ): Record<string, Record<string, unknown>> {
    const isServer = this.#server(info.provider) !== undefined;
    const kind = isServer ? undefined : this.#remote.settings(info.provider)?.kind;
    return effortOptions(info, kind ?? "openai-compatible", effort);
  }

  notices(): string[] {
    const { config, credentials } = this.#options;
    const named = [
      ["model", config.model],
      ["small model", config.smallModel],
    ] as const;
    return [
      ...(credentials.problem === undefined ? [] : [credentials.problem]),
      ...this.#remote.ids().flatMap((id) => addressProblem(id, this.#options) ?? []),
      ...named.flatMap(([what, id]) =>
        id === undefined || this.#lookUp(id) !== null ? [] : [this.#unknown(what, id)],
      ),
      ...this.#found().flatMap((server) => server.notices),
    ];
  }

  async refresh(): Promise<void> {
    await Promise.all([this.#options.credentials.reload(), this.#servers.refresh()]);
  }

  settled(): Promise<void> {
    return this.#servers.settled();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#stopListening();
    this.#servers.close();
    this.#listeners.clear();
  }

  /** A configured model is used even without a key: opening it reports what is missing. */
  #choose(): Choice {
    const { script, config } = this.#options;
    if (script !== undefined) return { info: scriptModel, why: "from the script" };
    const configured = config.model === undefined ? null : this.#lookUp(config.model);
    if (configured !== null) return { info: configured, why: "named in the config" };
    for (const settings of this.#remote.usable()) {
      const info = this.#remote.defaultModel(settings);
      if (info !== null) return { info, why: `by ${settings.keySource ?? "the config"}` };
    }
    const models = this.#found().flatMap((server) => server.models);
    const local = models.find(({ tools }) => tools) ?? models[0];
    if (local !== undefined) return { info: local, why: "found on the agent’s machine" };
    return {
      info: demoModel,
      why: "because there is no key and no model server on the agent’s machine",
    };
  }

  /** The model of an id, whether or not its provider has a key; null when there is none. */
  #lookUp(id: string): ModelInfo | null {
    if (id === demoModel.id) return demoModel;
    if (id === scriptModel.id) return this.#options.script === undefined ? null : scriptModel;
    const slash = id.indexOf("/");
    if (slash === -1) return this.#byModelName(id);
    const provider = id.slice(0, slash);
    const modelId = id.slice(slash + 1);
    if (modelId === "") return null;
    const server = this.#server(provider);
    if (server !== undefined) return server.models.find((model) => model.id === id) ?? null;
    const settings = this.#remote.settings(provider) ?? this.#absentServer(provider);
    return settings === null ? null : this.#remote.describe(settings, modelId);
  }

  /** Finds `claude-sonnet-5-5` without its provider. */
  #byModelName(name: string): ModelInfo | null {
    const isNamed = (model: ModelInfo) => model.id.slice(model.provider.length + 1) === name;
    const usable = this.list().find(isNamed);
    if (usable !== undefined) return usable;
    const provider = knownProviders.find(({ id }) => catalogIds(id).includes(name));
    return provider === undefined ? null : this.#lookUp(`${provider.id}/${name}`);
  }

  #isUsable(info: ModelInfo): boolean {
    if (this.#server(info.provider) !== undefined) return true;
    return this.#remote.settings(info.provider)?.usable ?? true;
  }

  /** `OPENAI_BASE_URL` without a key. OpenAI itself requires one. */
  #ownServerUrl(): string | undefined {
    const openai = this.#remote.settings("openai");
    if (openai === null || openai.usable) return undefined;
    return openai.baseUrl === knownProvider("openai")?.baseUrl ? undefined : openai.baseUrl;
  }

  /** A local server that does not answer yet may be started before it is needed. */
  #absentServer(id: string): ProviderSettings | null {
    const { environment, localAddresses: addresses = {}, config } = this.#options;
    const baseUrl = config.localProviders
      ? localBaseUrl(id, { environment, addresses })
      : undefined;
    return baseUrl === undefined ? null : localSettings(id, baseUrl);
  }

  async #reach(id: string): Promise<ProviderSettings> {
    const found = this.#server(id);
    if (found !== undefined) return localSettings(id, found.baseUrl);
    const settings = this.#remote.settings(id);
    if (settings !== null) return settings;
    const absent = this.#absentServer(id);
    if (absent === null) throw noProvider(id);
    await this.refresh();
    const server = this.#server(id);
    if (server === undefined) throw notAnswering(absent);
    return localSettings(id, server.baseUrl);
  }

  #unknown(what: string, id: string): string {
    const known = this.#remote.ids().join(", ");
    return `The config names the ${what} “${id}”, which does not exist. Write it as provider/model; the providers are ${known}, and servers on the agent’s machine.`;
  }

  /** The configuration of a local server takes precedence over what the server reports. */
  #found(): LocalServer[] {
    return this.#servers.found.filter(({ id }) => this.#remote.settings(id)?.usable !== true);
  }

  #server(id: string): LocalServer | undefined {
    return this.#found().find((server) => server.id === id);
  }

  #facts() {
    const servers = this.#found();
    return {
      keys: this.#remote
        .usable()
        .map(({ name, keySource }) => `${keySource ?? "the config"} (${name})`),
      servers: servers.map(({ name, baseUrl }) => `${name} at ${new URL(baseUrl).origin}`),
      models: this.list()
        .filter(({ id }) => id !== demoModel.id && id !== scriptModel.id)
        .map(({ id }) => id),
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function localSettings(id: string, baseUrl: string): ProviderSettings {
  return {
    id,
    name: displayName(id),
    kind: "openai-compatible",
    baseUrl,
    apiKey: undefined,
    keySource: undefined,
    headers: {},
    usable: true,
  };
}

function signInNeeded(provider: string): ModelProblem {
  const name = displayName(provider);
  return new ModelProblem("sign-in-needed", `${name} needs a key. ${signInHint(provider)}`);
}

function noProvider(id: string): ModelProblem {
  return new ModelProblem(
    "unknown-model",
    `There is no provider “${id}”. Choose another model, or add the provider to the config.`,
  );
}

function notAnswering({ name, baseUrl }: ProviderSettings): ModelProblem {
  return new ModelProblem(
    "unreachable",
    `${name} does not answer at ${new URL(baseUrl).origin}. Start it, or choose another model.`,
  );
}
