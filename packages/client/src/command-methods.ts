import { isRecord, type CommandName } from "@landline/protocol";
import type { CallInput } from "./api.ts";
import type { CommandAnswer, CommandOptions, Commands } from "./commands.ts";
import type { AskOutcome, OpenRequest } from "./contract.ts";

/** Maps the parameters of a method to the input of a command. The types come from the table of operations. */
interface CommandMethod<Name extends CommandName, Parameters extends readonly unknown[]> {
  readonly name: Name;
  readonly input: (...parameters: Parameters) => object;
  readonly options?: (input: never) => CommandOptions;
}

type MethodTable = Readonly<Record<string, CommandMethod<CommandName, never[]>>>;

/** Without `as`, so that editors show the documentation and the parameter names of the table. */
type MethodsOf<Table extends MethodTable> = {
  readonly [Method in keyof Table]: (
    ...parameters: Parameters<Table[Method]["input"]>
  ) => Promise<CommandAnswer<Table[Method]["name"]>>;
};

function method<Name extends CommandName, Parameters extends readonly unknown[]>(
  name: Name,
  input: (...parameters: Parameters) => CallInput<Name>,
): CommandMethod<Name, Parameters> {
  return { name, input };
}

/** `sessionId` is filled in. */
function sessionMethod<Name extends CommandName, Parameters extends readonly unknown[]>(
  name: Name,
  input: (...parameters: Parameters) => Omit<CallInput<Name>, "sessionId">,
  options?: (input: Omit<CallInput<Name>, "sessionId">) => CommandOptions,
): CommandMethod<Name, Parameters> {
  return { name, input, ...(options && { options }) };
}

const gatewayMethods = {
  /** Opens a session; its agent is started. */
  open: method("open", (request: OpenRequest) => request),
  /** Cancels the sign-in that is in progress. */
  cancelSignIn: method("cancel-sign-in", (agent: string) => ({ agent })),
  /** Resolves when the agent has forgotten its sign-in; see `canSignOut` in `agents`. Sessions stay. */
  signOut: method("sign-out", (agent: string) => ({ agent })),
} as const;

const sessionMethods = {
  /** Cancels the running turn. If the agent does not stop, call it again: each call goes one step further. */
  cancel: sessionMethod("cancel", () => ({})),
  /** Answers a permission request or a question. The note of a rejection becomes the next prompt. */
  answer: sessionMethod(
    "answer",
    (askId: string, outcome: AskOutcome, note?: string) => ({ askId, outcome, note }),
    ({ outcome }) => ({ isOurs: ({ data }) => isSameChoice(data["outcome"], outcome) }),
  ),
  /** Sets the mode of the agent. */
  setMode: sessionMethod("set-mode", (modeId: string) => ({ modeId })),
  /** Sets an option of the agent. `remember`: also for new sessions with this agent; modes are never remembered. */
  setConfig: sessionMethod(
    "set-config",
    (
      configId: string,
      value: string | boolean,
      { remember }: { readonly remember?: boolean } = {},
    ) => ({ configId, value, remember: remember === true ? remember : undefined }),
  ),
  /** Sets the title. With null, the agent may set one. */
  rename: sessionMethod("rename", (title: string | null) => ({ title })),
  /** Copies the session up to now into a new one. */
  fork: sessionMethod("fork", () => ({})),
  /** Ends the agent; the log stays. A prompt opens the session again. */
  close: sessionMethod("close", () => ({})),
  /** Closes the session and erases its log. */
  delete: sessionMethod("delete", () => ({})),
} as const;

export type GatewayMethods = MethodsOf<typeof gatewayMethods>;
export type SessionMethods = MethodsOf<typeof sessionMethods>;

export function methodsOfGateway(commands: Commands): GatewayMethods {
  return bound(gatewayMethods, commands, {});
}

export function methodsOfSession(commands: Commands, sessionId: string): SessionMethods {
  return bound(sessionMethods, commands, { sessionId });
}

function bound<Table extends MethodTable>(
  table: Table,
  commands: Commands,
  filledIn: object,
): MethodsOf<Table> {
  const methods = Object.entries(table).map(([key, { name, input, options }]) => [
    key,
    (...parameters: never[]) => {
      const given = input(...parameters);
      return commands.run(name, { ...filledIn, ...given }, options?.(given as never));
    },
  ]);
  return Object.fromEntries(methods) as MethodsOf<Table>;
}

/** The gateway reports an answer without the values that were filled in. */
function isSameChoice(reported: unknown, given: AskOutcome | undefined): boolean {
  if (!isRecord(reported)) return false;
  const own: Readonly<Record<string, unknown>> = { ...given };
  return ["outcome", "optionId", "action"].every((name) => reported[name] === own[name]);
}
