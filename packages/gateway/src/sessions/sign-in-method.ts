import type { AuthMethod } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import type { AgentEntry } from "../agents/agent.ts";
import { commandLine } from "../agents/agent-flag.ts";

/** What one agent wrote is cut before it becomes part of a sentence. */
const WORDS_MAX = 300;

/**
 * The method with this id, if the agent itself carries it out. Others are named in the refusal, with what
 * a person has to do.
 */
export function callableMethod(
  entry: AgentEntry,
  methods: readonly AuthMethod[],
  methodId: string,
): AuthMethod {
  const method = methods.find(({ id }) => id === methodId);
  if (!method) throw unknownMethod(entry, methods, methodId);
  const kind = kindOf(method);
  if (kind === "agent") return method;
  const because =
    kind === "terminal"
      ? "needs a terminal, and Landline can't run it for you"
      : `is not a step to take: ${entry.name} reads it from its environment`;
  throw new LandlineError("tool-disabled", {
    message: `"${short(method.name)}" ${because}.`,
    help: whatToDo(entry, method),
    data: { agent: entry.id, methodId },
  });
}

/** The agent's refusal for want of a sign-in, in words that say which ways there are. */
export function signInNeeded(
  entry: AgentEntry,
  methods: readonly AuthMethod[],
  error: LandlineError,
): LandlineError {
  const called = methods.filter((method) => kindOf(method) === "agent").map(nameOf);
  const others = methods.filter((method) => kindOf(method) !== "agent");
  const ways = [
    ...(called.length > 0 ? [`Choose one of its methods: ${called.join(", ")}.`] : []),
    ...others.map((method) => whatToDo(entry, method)),
  ];
  const said = short(error.message);
  return new LandlineError("auth-required", {
    message: `${entry.name} wants you to sign in first. It says: ${said}`,
    help:
      ways.length > 0
        ? `Sign in and try again. ${ways.join(" Or: ")}`
        : `Sign in with the agent's own command in a terminal, then try again.`,
    data: { ...error.data, agent: entry.id, signInMethods: methods.map(({ id }) => id) },
    cause: error,
  });
}

/** Terminal methods are marked in three ways; what is not marked is called. */
function kindOf(method: AuthMethod): "agent" | "terminal" | "environment" {
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
  const command = loginCommand(entry, method);
  return command === null
    ? `Sign in where the agent runs (${short(method.description ?? method.name)}).`
    : `Run this in a terminal on the gateway's machine: \`${command}\`.`;
}

/** The agent's own command with the method's arguments behind it; what an older method names as it is. */
function loginCommand(entry: AgentEntry, method: AuthMethod): string | null {
  const { type, args, env, _meta } = method as Readonly<Record<string, unknown>>;
  const { type: metaType, args: metaArgs, "terminal-auth": older } = record(_meta);
  if (entry.kind === "process" && (type === "terminal" || metaType === "terminal")) {
    const words = [...entry.args, ...texts(args ?? metaArgs)];
    return [...variables(env), commandLine(entry.command, words)].join(" ");
  }
  const { command, args: olderArgs, env: olderEnv } = record(older);
  if (typeof command !== "string") return null;
  return [...variables(olderEnv), commandLine(command, texts(olderArgs))].join(" ");
}

function variables(env: unknown): string[] {
  return Object.entries(record(env)).flatMap(([name, value]) =>
    typeof value === "string" && /^\w+$/.test(name) ? [`${name}=${commandLine(value, [])}`] : [],
  );
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

function short(words: string): string {
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)}…` : words;
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
