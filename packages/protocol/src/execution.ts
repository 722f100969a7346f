import { viewRows } from "./limits/view.ts";
import type { Actor, AgentStarted, Confinement } from "./events.ts";
import { arrayOf, entriesWith, recordOf, stringOf, type Raw } from "./raw-value.ts";

/**
 * How one tool call was executed: by whom, how it was confined, and who allowed it. `by`, `confinement` and
 * `hasLeftSandbox` follow from the other fields.
 */
export interface Execution {
  /** `landline`: in a terminal that the gateway ran. `agent`: by the agent itself, as far as Landline knows. */
  readonly by: "landline" | "agent";
  /** The id of the agent; empty where it is not known. */
  readonly agent: string;
  /** The agent is Landline's own: what it reports counts. */
  readonly isBuiltIn?: true;
  /** Null: not confined by Landline. Absent: not recorded. */
  readonly confinement?: Confinement | null;
  /** It ran in a sandbox first, and was then run again outside. */
  readonly hasLeftSandbox?: true;
  /** How the whole agent was confined; null: it was not. Absent: not recorded. */
  readonly agentConfinement?: Confinement | null;
  /** The terminals of the gateway that the call named, at most `callTerminalsKept`. */
  readonly terminals?: readonly CallTerminal[];
  /** The permission requests of the call, oldest first: the latest `callDecisionsKept`. */
  readonly decisions: readonly Decision[];
  /** What Landline's own agent says of the call; it is read from no other agent. */
  readonly report?: ExecutionReport;
}

export interface CallTerminal extends TerminalRun {
  readonly terminalId: string;
  /** The log says nothing of it: it may be older than what was read. */
  readonly isUnknown?: true;
}

/** How the gateway ran the program of a terminal. */
export interface TerminalRun {
  readonly confinement?: Confinement | null;
  readonly hasLeftSandbox?: true;
}

/** A permission request of a call, and what came of it. */
export interface Decision {
  readonly askId: string;
  readonly outcome: "open" | "allowed" | "rejected" | "unanswered";
  /** Null while it is open, and where the log does not say it. */
  readonly by: Actor | null;
  /** The kind of the option that was chosen, where it is known: `allow_once`. */
  readonly option?: string;
  /** The rule that decided, in words, as it was then. */
  readonly rule?: string;
}

export interface ExecutionReport {
  readonly confinement: Confinement | null;
  readonly hasLeftSandbox?: true;
  readonly approval: {
    readonly by: (typeof approvers)[number];
    /** Of the rule or the level. */
    readonly name?: string;
  };
}

const approvers = ["person", "rule", "level", "read-only", "none"] as const;

/** What is known of an agent from one start to the next. */
export interface AgentRun {
  /** The number of the event that says so. */
  readonly from: number;
  readonly isBuiltIn?: true;
  readonly confinement?: Confinement | null;
}

const decisionsKept = viewRows.callDecisionsKept.default;
const terminalsKept = viewRows.callTerminalsKept.default;

/** What the start of an agent says of it. */
export function runOf({
  isBuiltIn,
  confinement: given,
}: Pick<AgentStarted, "isBuiltIn" | "confinement">): Omit<AgentRun, "from"> {
  const confinement = confinementOf(given);
  return {
    ...(isBuiltIn === true ? { isBuiltIn } : {}),
    ...(confinement === undefined ? {} : { confinement }),
  };
}

/** The start that counts for an event. */
export function runAt(runs: readonly AgentRun[], seq: number): AgentRun | undefined {
  return runs.findLast(({ from }) => from <= seq);
}

export function newExecution(agent: string, run: Omit<AgentRun, "from"> = {}): Execution {
  const { isBuiltIn, confinement } = run;
  return resolved({
    agent,
    ...(isBuiltIn === true ? { isBuiltIn } : {}),
    ...(confinement === undefined ? {} : { agentConfinement: confinement }),
    decisions: [],
  });
}

/** What one message of an agent says of how its call is executed. */
export interface ExecutionReading {
  /** Terminals that it names. */
  readonly terminals: readonly string[];
  readonly report: ExecutionReport | null;
}

export function readExecution(toolCall: Raw): ExecutionReading {
  const content = entriesWith(toolCall["content"], "terminalId") ?? [];
  const terminals = content
    .filter(({ type }) => type === "terminal")
    .map(({ terminalId }) => (terminalId as string).slice(0, terminalIdLength));
  const own = recordOf(recordOf(toolCall["_meta"])?.["landline"]);
  return { terminals, report: reportOf(recordOf(own?.["execution"])) };
}

/** Ids of the gateway are shorter: a longer one is of no terminal of its. */
const terminalIdLength = 200;

function reportOf(report: Raw | null): ExecutionReport | null {
  const approval = recordOf(report?.["approval"]);
  const by = approvers.find((word) => word === approval?.["by"]);
  if (report === null || by === undefined) return null;
  const confinement = confinementOf(report["confinement"]);
  if (confinement === undefined) return null;
  const name = stringOf(approval?.["name"])?.slice(0, wordsLength) ?? "";
  const hasLeft = confinement === null && report["hasLeftSandbox"] === true;
  return {
    confinement,
    ...(hasLeft ? { hasLeftSandbox: true } : {}),
    approval: { by, ...(name === "" ? {} : { name }) },
  };
}

const wordsLength = 300;
const hostsMax = 100;
const hostLength = 300;

/** Undefined for what can't be read: then nothing is claimed. */
export function confinementOf(value: unknown): Confinement | null | undefined {
  if (value === null) return null;
  const { sandbox, network } = recordOf(value) ?? {};
  if (sandbox !== "bubblewrap" && sandbox !== "sandbox-exec") return undefined;
  if (network === "off" || network === "on") return { sandbox, network };
  const hosts = arrayOf(network);
  if (hosts === null || !hosts.every((host) => typeof host === "string")) return undefined;
  return {
    sandbox,
    network: hosts.slice(0, hostsMax).map((host) => host.slice(0, hostLength)),
  };
}

/** A terminal of the gateway; `restart` says who allowed its program to run again. */
export interface TerminalFacts extends TerminalRun {
  readonly restart?: Decision;
}

/** `agent`: a terminal that the agent shows as its own. Undefined: nothing is known of it. */
export type TerminalLookup = (terminalId: string) => TerminalFacts | "agent" | undefined;

/** The execution with what a message says. Terminals that were named once count, also when the content changes. */
export function withReading(
  execution: Execution,
  { terminals: named, report }: ExecutionReading,
  lookup: TerminalLookup,
): Execution {
  const isTrusted = execution.isBuiltIn === true && report !== null;
  const before = execution.terminals ?? [];
  if (!isTrusted && named.length === 0 && before.length === 0) return execution;
  const known = new Map(before.map((terminal) => [terminal.terminalId, terminal]));
  const ids = [...new Set([...known.keys(), ...named])];
  const terminals: CallTerminal[] = [];
  let { decisions } = execution;
  for (const terminalId of ids) {
    const facts = lookup(terminalId);
    if (facts === "agent") continue;
    if (facts === undefined)
      terminals.push(known.get(terminalId) ?? { terminalId, isUnknown: true });
    else terminals.push(callTerminal(terminalId, facts));
    // Who allowed the program to run again has allowed the call.
    const restart = facts?.restart;
    if (restart !== undefined && !decisions.some(({ askId }) => askId === restart.askId))
      decisions = [...decisions, restart].slice(-decisionsKept);
  }
  return resolved({
    ...execution,
    decisions,
    terminals: boundedTerminals(terminals),
    ...(isTrusted ? { report } : {}),
  });
}

function callTerminal(terminalId: string, run: TerminalRun): CallTerminal {
  const { confinement, hasLeftSandbox } = run;
  return {
    terminalId,
    ...(confinement === undefined ? {} : { confinement }),
    ...(hasLeftSandbox === true ? { hasLeftSandbox } : {}),
  };
}

/** What is left out may have been confined in any way. */
function boundedTerminals(terminals: readonly CallTerminal[]): readonly CallTerminal[] {
  const [next] = terminals.slice(terminalsKept);
  if (next === undefined) return terminals;
  return [...terminals.slice(0, terminalsKept), { terminalId: next.terminalId, isUnknown: true }];
}

/** The execution with a request that was opened or settled. */
export function withDecision(execution: Execution, decision: Decision): Execution {
  const others = execution.decisions.filter(({ askId }) => askId !== decision.askId);
  return { ...execution, decisions: [...others, decision].slice(-decisionsKept) };
}

/** Whether a permission request of the call waits for an answer. */
export function isAwaited({ decisions }: Execution): boolean {
  return decisions.some(({ outcome }) => outcome === "open");
}

interface SettledAsk {
  readonly askId: string;
  readonly options: unknown;
  readonly outcome: unknown;
  readonly by: Actor;
}

export function decisionOf({ askId, options, outcome, by: actor }: SettledAsk): Decision {
  const by = readActor(actor);
  const given = recordOf(outcome);
  const rule = stringOf(recordOf(given?.["_meta"])?.["landline/rule"])?.slice(0, wordsLength);
  const words = rule === undefined ? {} : { rule };
  if (given?.["outcome"] !== "selected") return { askId, outcome: "unanswered", by, ...words };
  const chosen = entriesWith(options, "optionId")?.find(
    ({ optionId }) => optionId === given["optionId"],
  );
  if (chosen === undefined) return { askId, outcome: "unanswered", by, ...words };
  const option = stringOf(chosen["kind"])?.slice(0, wordsLength);
  return {
    askId,
    outcome: option?.startsWith("reject") === true ? "rejected" : "allowed",
    by,
    ...(option === undefined ? {} : { option }),
    ...words,
  };
}

/** A log may be damaged: null for somebody whom it does not name. */
function readActor(actor: Actor): Actor | null {
  const { client, rule, gateway } = recordOf(actor) ?? {};
  const isNamed = [client, rule, gateway].some((name) => typeof name === "string");
  return isNamed ? actor : null;
}

type Facts = Omit<Execution, "by" | "confinement" | "hasLeftSandbox">;

/** Whatever order the facts came in, the same follows from them. */
function resolved({
  by: _by,
  confinement: _confinement,
  hasLeftSandbox: _left,
  ...facts
}: Facts & Partial<Execution>): Execution {
  const { terminals = [], decisions, ...rest } = facts;
  const ours = terminals.filter(({ isUnknown }) => isUnknown !== true);
  const confinement = confinementIn(facts, terminals);
  const runs = [...ours, ...(facts.report === undefined ? [] : [facts.report])];
  const hasLeft = runs.some(({ hasLeftSandbox }) => hasLeftSandbox === true);
  return {
    by: ours.length > 0 ? "landline" : "agent",
    ...rest,
    ...(terminals.length === 0 ? {} : { terminals }),
    ...(confinement === undefined ? {} : { confinement }),
    ...(hasLeft ? { hasLeftSandbox: true } : {}),
    decisions,
  };
}

function confinementIn(
  { report, agentConfinement, isBuiltIn }: Facts,
  terminals: readonly CallTerminal[],
): Confinement | null | undefined {
  // Landline's own agent says it when the call ends; until then, that the agent is not confined says nothing.
  const isUnreported = isBuiltIn === true && report === undefined && agentConfinement === null;
  if (terminals.length === 0)
    return isUnreported ? undefined : (report?.confinement ?? agentConfinement);
  // Landline's own agent confines what it runs in a terminal itself, where the gateway does not.
  const runs = terminals.map(({ confinement, isUnknown }) =>
    isUnknown === true ? undefined : (confinement ?? report?.confinement ?? confinement),
  );
  return leastConfined(runs);
}

function leastConfined(
  runs: readonly (Confinement | null | undefined)[],
): Confinement | null | undefined {
  if (runs.includes(null)) return null;
  const known = runs.filter((run) => run !== undefined && run !== null);
  const [first] = known;
  if (first === undefined || known.length < runs.length) return undefined;
  const networks = known.map(({ network }) => network);
  if (networks.includes("on")) return { ...first, network: "on" };
  const hosts = new Set(
    networks.flatMap((network) => (typeof network === "string" ? [] : network)),
  );
  return { ...first, network: hosts.size === 0 ? "off" : [...hosts] };
}
