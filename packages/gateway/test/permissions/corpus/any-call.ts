import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { limitsOf } from "@landline/protocol";
import type { Line } from "@landline/shell";
import { collectRuleInput } from "../../../src/acp-client/permissions/rule-input.ts";
import type { SessionContext } from "../../../src/acp-client/session-context.ts";
import type { RuleInput } from "../../../src/acp-client/permissions/rule.ts";
import { mergedNames, namesOf } from "../../../src/tool-calls/call-names.ts";

/** A call of an agent: name only the fields that the test is about. */
export interface TestCall {
  readonly kind?: string | null;
  readonly name?: string | null;
  readonly title?: string;
  readonly rawInput?: unknown;
  readonly locations?: readonly { readonly path: string }[];
  readonly content?: readonly object[];
  /** Earlier updates of the same call. */
  readonly before?: TestCall;
  /** Its session; by default in folders that do not exist. */
  readonly session?: Partial<SessionContext>;
}

/** The rule input of a call, as the gateway collects it. */
export function factsOf({ before = {}, session, ...call }: TestCall): Promise<RuleInput> {
  const context: SessionContext = {
    sessionId: "session-1",
    agent: "claude",
    cwd: "/repo",
    roots: ["/repo"],
    closed: ["/repo/.data"],
    limits: limitsOf("default"),
    record: () => {},
    ...session,
  };
  const said = [before, call].map((one) => namesOf(one as Partial<ToolCallUpdate>));
  return collectRuleInput(context, said.reduce(mergedNames));
}

export function running(command: Line, cwd?: string) {
  return { kind: "execute", rawInput: { command, cwd } } as const;
}

export function editing(...paths: readonly string[]) {
  return { kind: "edit", locations: paths.map((path) => ({ path })) } as const;
}

export function fetching(...hosts: readonly string[]) {
  return { kind: "fetch", rawInput: { urls: hosts.map((host) => `https://${host}/`) } } as const;
}
