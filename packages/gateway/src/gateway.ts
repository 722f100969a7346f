import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { finishedWithin } from "@landline/system/finished-within";
import type { Limits } from "@landline/protocol";
import { homeFolder } from "@landline/system/home-folders";
import { createCatalog, type Catalog } from "./agents/catalog.ts";
import { createAgentHost } from "./agents/host.ts";
import { readTracePage } from "./agents/trace-page.ts";
import { BackgroundIndexer } from "./index/background-indexer.ts";
import {
  openIndexDatabaseOrFallback,
  type OpenedIndexDatabase,
} from "./index/fallback-database.ts";
import { loadCertificate, watchCertificate } from "./server/certificate.ts";
import { createHttpServer, type HttpServer } from "./server/server.ts";
import type { AgentList, Services } from "./server/services.ts";
import { openTokens } from "./server/tokens.ts";
import { Editors } from "./acp-client/editors.ts";
import { Temporaries } from "./acp-client/files/temporaries.ts";
import { openRules } from "./acp-client/permissions/rules.ts";
import { TerminalSandboxes } from "./acp-client/terminals/terminal-sandboxes.ts";
import { openFolder, type DataFolder } from "./data-folder/data-folder.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";
import { fileLogs } from "./log/file-logs.ts";
import { createLogger, type Logger } from "./telemetry/logger.ts";
import { createMetrics, type Metrics } from "./telemetry/metrics.ts";
import { hideToken } from "./telemetry/mask-tokens.ts";
import { PerAgentFile } from "./data-folder/per-agent-file.ts";
import { Deletions } from "./sessions/deletions.ts";
import { StoredMcpServers } from "./sessions/stored-mcp-servers.ts";
import { areChoices, RememberedOptions } from "./sessions/remembered-options.ts";
import { Registry } from "./sessions/registry.ts";
import { RetentionSchedule } from "./sessions/retention-schedule.ts";
import { SignIns } from "./sign-in/sign-ins.ts";

/**
 * The composition root: options in, a running gateway out. Closes what it opened, in reverse order, even if the start
 * fails.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { limits, profile, durability, address } = options;
  const logger = createLogger({ level: options.logLevel, limits });
  const metrics = createMetrics(limits);
  await using opened = new AsyncDisposableStack();

  const folder = opened.use(await openFolder(options.dataFolder));
  const logs = opened.use(
    fileLogs(folder.sessions, { durability, limits, onAppend: countAppends(metrics) }),
  );
  const { indexDatabase } = opened.use(openDatabaseOf(folder, limits, logger));
  const onProblem = (error: Error) => logger.error("The index can't be updated.", { error });
  const sources = { indexDatabase, logs, folder: folder.sessions };
  const indexer = opened.use(new BackgroundIndexer({ ...sources, limits, onProblem }));
  // Limit the wait: the next start indexes what is missing.
  opened.defer(() => flush(indexer, limits.listWaitMs / 2));
  const files = await openFiles(folder, options, logger);
  const { rules, temporaries, lastMethods, choices, ...kept } = files;
  opened.defer(() => lastMethods.written());
  opened.defer(() => choices.written());
  const catalog = catalogOf(options);
  for (const text of [options.token ?? [], catalog.tokens].flat()) opened.use(hideToken(text));
  const tokens = opened.use(await tokensOf(folder, options, logger));
  const wire = {
    ...(options.logLevel === "debug" && { wireLogger: logger }),
    ...(options.trace && { traceOf: traceIn(folder) }),
  };
  const agents = opened.use(createAgentHost({ folder, limits, profile, logger, ...wire }));
  const signIns = new SignIns({ agents, catalog, limits, logger, lastMethods });
  const rememberedOptions = new RememberedOptions({ kept: choices, catalog, limits, logger });
  const realFolder = await realpath(folder.path);
  const editors = new Editors();
  const sessions = new Registry({
    logs,
    indexDatabase,
    indexer,
    agents,
    catalog,
    rules,
    temporaries,
    editors,
    ...kept,
    limits,
    strict: profile === "spec",
    resumeQueue: options.resumeQueue,
    closedFolders: [realFolder],
    terminalSandboxes: new TerminalSandboxes({
      home: homeFolder(process.env),
      folder: realFolder,
      logger,
    }),
    logger,
    metrics,
    signIns,
    rememberedOptions,
  });
  opened.defer(() => sessions.close());

  const services = {
    sessions,
    agents: agentList(catalog, signIns, sessions, rememberedOptions),
    defaultAgent: options.defaultAgent,
    indexDatabase,
    rules,
    editors,
    tokens,
    limits,
    profile,
    logger,
    metrics,
    address,
    dataFolders: [realFolder, folder.path],
    publicUrl: options.publicUrl,
    acpV2: options.acpV2 ?? false,
    readTrace: traceReader(folder, limits),
  };
  const { server, reloadCertificate } = await openServer(services, options, opened);
  // Start before the server closes, so that slow clients do not use up the time that agents have to exit.
  opened.defer(() => {
    indexer.stop();
    void sessions.close().catch(() => {});
    void signIns.close();
  });
  const { port, url } = await server.listen({ host: options.host, port: options.port });
  const socket = await openCommandSocket(folder, server, opened);

  const policy = options.retention;
  const retention = opened.use(new RetentionSchedule({ logs, sessions, logger, limits, policy }));
  void catchUp({ indexer, sessions, logger, retention });

  const owned = opened.move();
  const close = () => owned.disposeAsync();
  const facts = { url, port, socket, token: tokens.shown ?? "", sessions, reloadCertificate };
  return { ...facts, close, [Symbol.asyncDispose]: close };
}

async function openServer(
  services: Services,
  { certificate = null }: GatewayOptions,
  opened: AsyncDisposableStack,
): Promise<Pick<Gateway, "reloadCertificate"> & { readonly server: HttpServer }> {
  const loaded = certificate && (await loadCertificate(certificate));
  const server = opened.use(createHttpServer(services, loaded));
  if (!certificate) return { server, reloadCertificate: null };
  const { limits, logger } = services;
  const use = server.useCertificate.bind(server);
  const watched = opened.use(watchCertificate(certificate, limits.certificateCheckMs, logger, use));
  return { server, reloadCertificate: () => watched.reload() };
}

function tokensOf(folder: DataFolder, { limits, token }: GatewayOptions, logger: Logger) {
  return openTokens(path.join(folder.path, "tokens.json"), {
    limits,
    ...(token === null ? {} : { fixed: token }),
    showsLink: true,
    onProblem: (error) => logger.error("The tokens could not be read.", { error }),
  });
}

/** The longest path of a Unix socket that all systems accept. */
const SOCKET_PATH_BYTES = 103;

/** Null on Windows, which has no socket that only the user can open. */
async function openCommandSocket(
  folder: DataFolder,
  server: HttpServer,
  opened: AsyncDisposableStack,
): Promise<string | null> {
  if (process.platform === "win32") return null;
  let socket = path.join(folder.path, "gateway.sock");
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES) {
    // `mkdtemp` creates a folder that only the user can open.
    const place = await mkdtemp(path.join(tmpdir(), "landline-"));
    opened.defer(() => rm(place, { recursive: true, force: true }));
    socket = path.join(place, "gateway.sock");
  }
  opened.defer(() => rm(socket, { force: true }));
  await server.listenLocal(socket);
  return socket;
}

/** Opens the index, and logs problems with it or with the disk. */
function openDatabaseOf(folder: DataFolder, limits: Limits, logger: Logger): OpenedIndexDatabase {
  const opened = openIndexDatabaseOrFallback(folder.database, { limits });
  const { indexDatabase, problem } = opened;
  if (problem || folder.isFull)
    logger.error(
      "The disk of the data folder is full. Sessions can be read, exported and deleted, but nothing can be added until there is free space.",
      { folder: folder.path, ...(problem && { database: indexDatabase.path, error: problem }) },
    );
  if (indexDatabase.origin.how === "replaced")
    logger.warn("The index could not be used and was replaced by a new one.", {
      ...indexDatabase.origin,
    });
  return opened;
}

/** Opens the other files of the data folder. */
async function openFiles(folder: DataFolder, options: GatewayOptions, logger: Logger) {
  const { limits, projects } = options;
  const inFolder = (name: string) => path.join(folder.path, name);
  const rules = await openRules(inFolder("rules.json"), { limits });
  if (rules.damage)
    logger.error(
      "The permission rules file was damaged. No rule allows anything until a person checks the rules and acknowledges this in Settings.",
      { ...rules.damage },
    );
  const temporaries = await Temporaries.open(inFolder("writes"), {
    limits,
    report: (file, error) =>
      logger.warn("A temporary file of an earlier process could not be removed.", { file, error }),
  });
  const lastMethods = await PerAgentFile.open(inFolder("sign-ins.json"), isText);
  const choices = await PerAgentFile.open(inFolder("choices.json"), areChoices);
  const servers = new StoredMcpServers(folder.sessions, projects);
  const deletions = new Deletions(inFolder("deleted-sessions.ndjson"), limits);
  return { rules, temporaries, lastMethods, choices, servers, deletions };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function traceIn({ sessions }: DataFolder): (sessionId: string) => string {
  return (sessionId) => path.join(sessions, sessionId, "trace.ndjson");
}

/** Also reads what earlier processes recorded. */
function traceReader(folder: DataFolder, limits: Limits): NonNullable<Services["readTrace"]> {
  const traceOf = traceIn(folder);
  return (sessionId, query) => readTracePage(traceOf(sessionId), query, limits);
}

function catalogOf({ agents, agentFlags, policy, builtInAgent }: GatewayOptions): Catalog {
  const builtIn = builtInAgent && { builtIn: builtInAgent };
  return createCatalog({ config: agents, extra: agentFlags, policy, ...builtIn });
}

function agentList(
  catalog: Catalog,
  signIns: SignIns,
  sessions: Registry,
  rememberedOptions: RememberedOptions,
): AgentList {
  return {
    list: () => catalog.list(),
    watch: (listener) => catalog.watch(listener),
    describe: (agentId) => signIns.describe(agentId),
    signInMethods: (agentId) => signIns.methods(agentId),
    signIn: (agentId, methodId, by) => signIns.signIn(agentId, methodId, by),
    answerSignIn: (agentId, answer, by) => signIns.answer(agentId, answer, by),
    cancelSignIn: (agentId, by) => signIns.cancel(agentId, by),
    signOut: async (agentId, by) => {
      await signIns.signOut(agentId, by, sessions.whilePaused);
      // The next account may be offered other models and modes.
      await rememberedOptions.forget(catalog.get(agentId).id);
    },
    terminal: (terminalId) => signIns.terminal(terminalId),
    sessions: (agentId, query) => sessions.ofAgent(agentId, query),
    forgetChoices: (agentId) => rememberedOptions.forget(catalog.get(agentId).id),
  };
}

function countAppends({ eventsAppended, bytesAppended, appendTimes }: Metrics) {
  return (events: number, bytes: number, tookMs: number) => {
    eventsAppended.add(events);
    bytesAppended.add(bytes);
    appendTimes.observe(tookMs);
  };
}

/** Updates the index, then appends the missing ends of turns and agents that ended with the previous gateway. */
async function catchUp({
  indexer,
  sessions,
  logger,
  retention,
}: {
  indexer: BackgroundIndexer;
  sessions: Registry;
  logger: Logger;
  retention: RetentionSchedule;
}): Promise<void> {
  try {
    await indexer.start();
    await sessions.recover();
    logger.debug("All existing sessions are indexed.");
    retention.start();
  } catch (error) {
    logger.error("Indexing failed.", { error });
  }
}

async function flush(indexer: BackgroundIndexer, limitMs: number): Promise<void> {
  const flushed = indexer.flush().catch(() => {});
  await finishedWithin(flushed, limitMs);
}
