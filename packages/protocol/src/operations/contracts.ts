import type { z } from "zod";
import { agentContracts } from "./contracts/agents.ts";
import { deviceContracts } from "./contracts/devices.ts";
import { gatewayContracts } from "./contracts/gateway.ts";
import { promptContracts } from "./contracts/prompts.ts";
import { recordContracts } from "./contracts/records.ts";
import { ruleContracts } from "./contracts/rules.ts";
import { sessionContracts } from "./contracts/sessions.ts";
import type { Contract } from "./contract.ts";
import type { OperationName } from "./table.ts";

export const contracts = {
  ...gatewayContracts,
  ...agentContracts,
  ...sessionContracts,
  ...promptContracts,
  ...recordContracts,
  ...ruleContracts,
  ...deviceContracts,
} as const satisfies Readonly<Record<OperationName, Contract>>;

type Contracts = typeof contracts;

/** What an operation takes, as it was read: spellings of the seeds are put right. */
export type Input<Name extends OperationName> = Omit<z.output<Contracts[Name]["input"]>, "_meta">;

/** What it returns. */
export type Output<Name extends OperationName> = Contracts[Name]["output"] extends z.ZodType
  ? ReadonlyDeep<z.output<Contracts[Name]["output"]>>
  : void;

export type ReadonlyDeep<Value> = Value extends object
  ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
  : Value;
