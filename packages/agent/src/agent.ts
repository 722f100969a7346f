import { homeFolder } from "@landline/system/home-folders";
import { isFolder } from "@landline/system/missing-file";
import manifest from "../package.json" with { type: "json" };
import type { Client } from "./acp/acp-client.ts";
import type { AgentHost, Keys } from "./acp/agent-host.ts";
import type { AgentEvent } from "./core/record.ts";
import type { Session } from "./core/session.ts";
import type { Sessions } from "./core/sessions.ts";
import { SessionProblem } from "./core/session-problem.ts";
import { loadOnce } from "@landline/system/load-once";
import type { Credentials } from "./model/credentials.ts";
import type { ModelsOptions, OpenModels } from "./model/model-selection.ts";

export interface AgentOptions {
  environment: NodeJS.ProcessEnv;
  /** A script file to play instead of a model. */
  script?: string;
  /** Overrides the configured model. */
  model?: string;
  /** Delay between two chunks of the demo or script model. */
  paceMs?: number;
}

/**
 * The composition root of one connection. Everything is loaded on first use, because the client waits for
 * `initialize`, which needs none of it.
 */
export function createHost(options: AgentOptions): AgentHost {
  const home = homeFolder(options.environment);
  const base = { environment: options.environment, home };
  let opened: ReturnType<typeof loadOnce<Sessions>> | null = null;
  let stopWatching: (() => void) | null = null;

  const openKeys = loadOnce(async () => {
    const { openCredentials } = await import("./model/credentials.ts");
    const keys = await openCredentials(base);
    // Sessions run for days. After a sign-in elsewhere they offer the new models.
    stopWatching = keys.watch();
    return keys;
  });
  const openGeneral = loadOnce(async () => {
    const { openProject } = await import("./config/project.ts");
    const { config } = await openProject({ ...base, cwd: home, directories: [] });
    return openModelsFor(options, config, await openKeys());
  });

  return {
    version: manifest.version,
    sessions(client, listener) {
      opened ??= loadOnce(async () =>
        openSessions(options, home, client, listener, await openKeys()),
      );
      return opened();
    },
    models: openGeneral,
    async keys() {
      const { knownProviders } = await import("./model/known-providers.ts");
      return keysOf(await openKeys(), await openGeneral(), knownProviders);
    },
    async availableKeys() {
      const { availableKeys } = await import("./model/available-keys.ts");
      return availableKeys(await openKeys(), options.environment);
    },
    async close() {
      await openKeys.current()?.catch(() => {});
      stopWatching?.();
      await (await opened?.current())?.closeAll();
      (await openGeneral.current())?.close();
    },
  };
}

async function openModelsFor(
  options: AgentOptions,
  config: ModelsOptions["config"],
  credentials: Credentials,
): Promise<OpenModels> {
  const { openModels } = await import("./model/model-selection.ts");
  const { environment, script, model, paceMs } = options;
  return openModels({
    config: { ...config, model: model ?? config.model },
    credentials,
    environment,
    ...(script !== undefined && { script }),
    ...(paceMs !== undefined && { paceMs }),
  });
}

async function openSessions(
  options: AgentOptions,
  home: string,
  client: Client,
  listener: (session: Session, event: AgentEvent) => void,
  credentials: Credentials,
): Promise<Sessions> {
  const [{ Sessions }, { openSessionStore }, { dataFolder }, { sessionAssembler }] =
    await Promise.all([
      import("./core/sessions.ts"),
      import("./session/jsonl-store.ts"),
      import("./session/session-paths.ts"),
      import("./assemble-session.ts"),
    ]);
  const { environment } = options;
  const data = dataFolder(environment);
  const assemble = sessionAssembler({
    environment,
    home,
    data,
    client,
    listener,
    openModels: (config) => openModelsFor(options, config, credentials),
  });
  return new Sessions(openSessionStore(data), async (sessionId, setup) => {
    await requireFolder(setup.cwd);
    return assemble(sessionId, setup);
  });
}

async function requireFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  throw new SessionProblem(
    "bad-request",
    `There is no folder ${path}. Open the session in one that exists.`,
  );
}

function keysOf(
  credentials: Credentials,
  models: OpenModels,
  known: readonly { id: string; name: string }[],
): Keys {
  return {
    providers: () => known.map(({ id, name }) => ({ id, name })),
    store: (provider, key) => credentials.store(provider, key),
    async clear() {
      // Another process may have stored a key.
      await credentials.reload();
      if (credentials.problem !== undefined) throw new Error(credentials.problem);
      for (const provider of credentials.providers()) await credentials.remove(provider);
    },
    async reload() {
      await credentials.reload();
      await models.refresh();
    },
    hasModel: () => models.list().some((model) => model.provider !== "demo"),
  };
}
