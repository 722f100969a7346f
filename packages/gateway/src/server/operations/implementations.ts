import { agentOperations } from "./agents.ts";
import { attachOperations } from "./attach.ts";
import { deviceOperations } from "./devices.ts";
import { eventOperations } from "./events.ts";
import { fileOperations } from "./files.ts";
import { gatewayOperations } from "./gateway.ts";
import type { Implementations } from "./operation.ts";
import { pageAccessOperations } from "./page-access.ts";
import { promptOperations } from "./prompts.ts";
import { recordOperations } from "./records.ts";
import { ruleOperations } from "./rules.ts";
import { sessionOperations } from "./sessions.ts";
import { terminalOperations } from "./terminals.ts";

export const implementations: Implementations = {
  ...gatewayOperations,
  ...agentOperations,
  ...terminalOperations,
  ...sessionOperations,
  ...attachOperations,
  ...eventOperations,
  ...promptOperations,
  ...recordOperations,
  ...fileOperations,
  ...ruleOperations,
  ...deviceOperations,
  ...pageAccessOperations,
};
