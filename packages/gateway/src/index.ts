export type {
  SessionLog,
  Logs,
  LogChunk,
  EventDraft,
  UpdateDraft,
  TailSink,
  Tail,
  LogSize,
} from "./log/log.ts";
export { configJsonSchema, loadConfig } from "./config.ts";
export type { ConfigSources } from "./config.ts";
export type { ConfigFlags } from "./config/settings.ts";
export { checkDataFolder, checkMachine, listAgents, openTokens, startGateway } from "./lazy.ts";
export type { DataFolderCheck, CheckProgress, CheckResult } from "./doctor.ts";
export type { TokenSummary, Tokens } from "./server/tokens.ts";
export type { BuiltInAgent, Gateway, GatewayOptions } from "./gateway-options.ts";
