import { agentOperations } from "./agents.ts";
import { attachOperations } from "./attach.ts";
import { deviceOperations } from "./devices.ts";
import { eventOperations } from "./events.ts";
import { fileOperations } from "./files.ts";
import { gatewayOperations } from "./gateway.ts";
import type { Input, OperationName } from "@landline/protocol";
import type { Implementations } from "./operation.ts";
import { pageAccessOperations } from "./page-access.ts";
import { promptOperations } from "./prompts.ts";
import { recordOperations } from "./records.ts";
import { ruleOperations } from "./rules.ts";
import { sessionOperations } from "./sessions.ts";
import { terminalOperations } from "./terminals.ts";

const implementations: Implementations = {
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

type Implementation<Name extends OperationName> = Implementations[Name];

/** Runs an operation for any transport. Its input was read, and role and scope were checked. */
export async function runOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  call: Parameters<Implementation<Name>>[1],
): Promise<Awaited<ReturnType<Implementation<Name>>>> {
  const run = implementations[name] as unknown as (
    input: Input<Name>,
    call: unknown,
  ) => ReturnType<Implementation<Name>>;
  return await run(input, call);
}
