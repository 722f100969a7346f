import {
  findLocalServers,
  listModels,
  type LocalAddresses,
  type LocalServer,
} from "./find-local-servers.ts";
import { describeModel } from "./catalog.ts";
import type { Environment } from "./provider-settings.ts";

export interface LocalServersOptions {
  environment: Environment;
  /** False when the configuration disables the search. */
  enabled: boolean;
  addresses: LocalAddresses;
  probeMs: number;
  /** `OPENAI_BASE_URL` without a key: the user's own server, on any machine. */
  ownServerUrl: string | undefined;
}

/**
 * Finds local model servers in the background. One search runs at a time; concurrent callers share its
 * result. Changes are reported to the listener.
 */
export class LocalServers {
  readonly #options: LocalServersOptions;
  readonly #closing = new AbortController();
  readonly #changed: () => void;
  #found: LocalServer[] = [];
  #search: Promise<void> | undefined;

  constructor(options: LocalServersOptions, changed: () => void) {
    this.#options = options;
    this.#changed = changed;
  }

  get found(): readonly LocalServer[] {
    return this.#found;
  }

  /** The current search, if any. */
  settled(): Promise<void> {
    return this.#search ?? Promise.resolve();
  }

  refresh(): Promise<void> {
    this.#search ??= this.#look().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  close(): void {
    this.#closing.abort();
  }

  async #look(): Promise<void> {
    const { signal } = this.#closing;
    const { enabled, environment, addresses, probeMs } = this.#options;
    if (signal.aborted) return;
    const [own, local] = await Promise.all([
      this.#ownServer(),
      enabled ? findLocalServers({ environment, addresses, probeMs, signal }) : [],
    ]);
    if (signal.aborted) return;
    const before = JSON.stringify(this.#found);
    this.#found = [...(own === null ? [] : [own]), ...local];
    if (JSON.stringify(this.#found) !== before) this.#changed();
  }

  async #ownServer(): Promise<LocalServer | null> {
    const { ownServerUrl: baseUrl } = this.#options;
    if (baseUrl === undefined) return null;
    const ids = await listModels(baseUrl, this.#closing.signal);
    if (ids === null || ids.length === 0) return null;
    const provider = {
      id: "openai",
      name: "OpenAI-compatible",
      kind: "openai-compatible" as const,
    };
    const models = ids.map((id) => describeModel(provider, id, undefined));
    return { id: provider.id, name: provider.name, baseUrl, models, notices: [] };
  }
}
