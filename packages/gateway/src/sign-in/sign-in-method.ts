import type { AuthMethod } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import type { AgentEntry } from "../agents/agent.ts";
import { shownCall, type TerminalCall } from "../agents/terminal-process.ts";

/** The maximum length of agent text within a message. */
const TEXT_MAX = 300;

/** A method and how it is performed: by the agent, or by a program in a terminal if `call` is set. */
export interface SignInStep {
  readonly method: AuthMethod;
  readonly call: TerminalCall | null;
}

/** Returns the step for a method. Throws an error with instructions if the gateway cannot perform it. */
export function signInStep(
  entry: AgentEntry,
  methods: readonly AuthMethod[],
  methodId: string,
): SignInStep {
  const method = methods.find(({ id }) => id === methodId);
  if (!method) throw unknownMethod(entry, methods, methodId);
  const kind = kindOf(method);
  if (kind === "agent") return { method, call: null };
  const call = kind === "terminal" ? terminalCall(entry, method) : null;
  if (call !== null) return { method, call };
  const because =
    kind === "terminal"
      ? "needs a terminal on the machine of the agent"
      : `cannot be started: ${entry.name} reads it from its environment`;
  throw new LandlineError("tool-disabled", {
    message: `"${short(method.name)}" ${because}.`,
    help: whatToDo(entry, method),
    data: { agent: entry.id, methodId },
  });
}

/** Adds the available sign-in methods to the agent's `auth-required` error. */
export function signInNeeded(
  entry: AgentEntry,
  methods: readonly AuthMethod[],
  error: LandlineError,
): LandlineError {
  const isOffered = (method: AuthMethod) =>
    kindOf(method) === "agent" || terminalCall(entry, method) !== null;
  const offered = methods.filter(isOffered).map(nameOf);
  const others = methods.filter((method) => kindOf(method) !== "agent");
  const ways = [
    ...(offered.length > 0 ? [`Choose one of its methods: ${offered.join(", ")}.`] : []),
    ...others.map((method) => whatToDo(entry, method)),
  ];
  const reason = short(error.message);
  return new LandlineError("auth-required", {
    message: `${entry.name} wants you to sign in first. It says: ${reason}`,
    help:
      ways.length > 0
        ? `Sign in and try again. ${ways.join(" Or: ")}`
        : `Sign in with the agent's own command in a terminal, then try again.`,
    data: { ...error.data, agent: entry.id, signInMethods: methods.map(({ id }) => id) },
    cause: error,
  });
}

/** Agents mark terminal methods in three ways. Unmarked methods use `authenticate`. */
export function kindOf(method: AuthMethod): "agent" | "terminal" | "environment" {
  const { type, _meta: meta } = method as { type?: unknown; _meta?: unknown };
  if (type === "env_var") return "environment";
  const { type: metaType, "terminal-auth": command } = record(meta);
  return type === "terminal" || metaType === "terminal" || isRecord(command) ? "terminal" : "agent";
}

function whatToDo(entry: AgentEntry, method: AuthMethod): string {
  if (kindOf(method) === "environment") {
    const names = list((method as { vars?: unknown }).vars).map((one) => record(one)["name"]);
    const named = names
      .filter((name) => typeof name === "string")
      .map(short)
      .join(", ");
    const what = named === "" ? `what ${short(method.id)} needs` : named;
    return `Set ${what} in the gateway's environment, or as env of this agent in the config.`;
  }
  const call = terminalCall(entry, method);
  return call === null
    ? `Sign in where the agent runs (${short(method.description ?? method.name)}).`
    : `Run this in a terminal on the gateway's machine: \`${shownCall(call)}\`.`;
}

/** The agent's command followed by the method's arguments, or the command that an older agent specifies. */
function terminalCall(entry: AgentEntry, method: AuthMethod): TerminalCall | null {
  if (entry.kind !== "process") return null;
  const { type, args, env, _meta } = method as Readonly<Record<string, unknown>>;
  const { type: metaType, args: metaArgs, "terminal-auth": older } = record(_meta);
  if (type === "terminal" || metaType === "terminal") {
    const allArgs = [...entry.args, ...texts(args ?? metaArgs)];
    return { command: entry.command, args: allArgs, env: variables(env) };
  }
  const { command, args: olderArgs, env: olderEnv } = record(older);
  if (typeof command !== "string" || command === "") return null;
  return { command, args: texts(olderArgs), env: variables(olderEnv) };
}

function variables(env: unknown): Record<string, string> {
  const named = Object.entries(record(env)).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string" && /^\w+$/.test(pair[0]),
  );
  return Object.fromEntries(named);
}

function unknownMethod(
  entry: AgentEntry,
  methods: readonly AuthMethod[],
  methodId: string,
): LandlineError {
  const known = methods.map(nameOf).join(", ");
  return new LandlineError("invalid-params", {
    message: `${entry.name} has no sign-in method "${short(methodId)}".`,
    help:
      known === ""
        ? `${entry.name} names no sign-in methods: use its own command in a terminal.`
        : `Its methods are ${known}.`,
    data: { agent: entry.id, field: "methodId", signInMethods: methods.map(({ id }) => id) },
  });
}

function nameOf({ id, name }: AuthMethod): string {
  return `"${short(name)}" (${short(id)})`;
}

function short(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === "string");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
