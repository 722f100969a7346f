export { makeCertificate } from "./certificate.ts";
export { allowedDifferences } from "./comparison/allowed-differences.ts";
export { clientScenarios } from "./comparison/client-scenarios.ts";
export { comparedAgent } from "./comparison/compared-agent.ts";
export { runScenario, type ComparedRun, type ConnectClient } from "./comparison/run-scenario.ts";
export { failingLoads } from "./failing-loads/failing-loads.ts";
export { scriptedAgentCommand, shippedScenario } from "./scripted-agent/command.ts";
export {
  playScenario,
  type Playing,
  type ScenarioStreams,
} from "./scripted-agent/play-scenario.ts";
export { checkScenario, readScenario, ScenarioError } from "./scripted-agent/read-scenario.ts";
export type { Scenario } from "./scripted-agent/scenario.ts";
export { SessionStore } from "./scripted-agent/sessions.ts";
export { readTranscript, record, type RecordOptions, type TranscriptEntry } from "./golden.ts";
export type { Reply, ReplyPart, StopReason, Trouble, Usage } from "./model-server/reply.ts";
export { providerNames } from "./model-server/request.ts";
export type { ModelRequest, ProviderName } from "./model-server/request.ts";
export type { Script, ScriptEntry, When } from "./model-server/script.ts";
export { startModelServer } from "./model-server/server.ts";
export type { ModelServer, ModelServerOptions } from "./model-server/server.ts";
export { Persona, type FormAnswer } from "./personas/persona.ts";
export { personas, type PersonaName, type Traits } from "./personas/traits.ts";
export { Wire, type WireMessage } from "./personas/wire.ts";
