import { acpMeta } from "./acp-meta.ts";
import { viewRows } from "./limits/view.ts";
import type { Actor, AgentStarted, Confinement } from "./events.ts";
import { arrayOf, entriesWith, recordOf, stringOf, type Raw } from "./raw-value.ts";

/**
 * How one tool call was executed: by whom, how it was confined, and who allowed it. `by`, `editor`, `confinement` and
 * `hasLeftSandbox` follow from the other fields.
 */
export interface Execution {
  /**
   * `landline`: in a terminal that the gateway ran. `editor`: in a terminal of an attached editor. `agent`: by the agent
   * itself, as far as Landline knows.
   */
  readonly by: "landline" | "editor" | "agent";
  /** The name of the editor. */
  readonly editor?: string;
  /** The id of the agent; empty where it is not known. */
  readonly agent: string;
  /** The agent is the built-in one, whose reports are trusted. */
  readonly isBuiltIn?: true;
  /** Null: not confined by Landline. Absent: not recorded. */
  readonly confinement?: Confinement | null;
  /** The call ran in a sandbox first, and then again outside. */
  readonly hasLeftSandbox?: true;
  /** The confinement of the agent process: null when there was none, absent when it was not recorded. */
  readonly agentConfinement?: Confinement | null;
  /** The terminals of the gateway that the call refers to, at most `callTerminalsKept`. */
  readonly terminals?: readonly CallTerminal[];
  /** The permission requests of the call, oldest first: the latest `callDecisionsKept`. */
  readonly decisions: readonly Decision[];
  /** The report of the built-in agent. Reports of other agents are ignored. */
  readonly report?: ExecutionReport;
}

export interface CallTerminal extends TerminalRun {
  readonly terminalId: string;
  /** The log has no event about the terminal, or it was not read. */
  readonly isUnknown?: true;
}

/** How the program of a terminal was run. */
export interface TerminalRun {
  readonly confinement?: Confinement | null;
  readonly hasLeftSandbox?: true;
  /** The name of the editor that ran it; absent when the gateway did. */
  readonly editor?: string;
}

/** A permission request of a call, and its outcome. */
export interface Decision {
  readonly askId: string;
  readonly outcome: "open" | "allowed" | "rejected" | "unanswered";
  /** Null while it is open or when the log does not contain it. */
  readonly by: Actor | null;
  /** The kind of the chosen option, if known, such as `allow_once`. */
  readonly option?: string;
  /** The description of the deciding rule at that time. */
  readonly rule?: string;
}

export interface ExecutionReport {
  readonly confinement: Confinement | null;
  readonly hasLeftSandbox?: true;
  readonly approval: {
    readonly by: (typeof approvers)[number];
    /** The name of the rule or the level. */
    readonly name?: string;
  };
}

const approvers = ["person", "rule", "level", "read-only", "none"] as const;

/** The state of an agent from one start to the next. */
export interface AgentRun {
  /** The sequence number of the start. */
  readonly from: number;
  readonly isBuiltIn?: true;
  readonly confinement?: Confinement | null;
}

const decisionsKept = viewRows.callDecisionsKept.default;
const terminalsKept = viewRows.callTerminalsKept.default;

/** The run that an `agent-started` event describes. */
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

/** The run at an event. */
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

/** The execution data in one message of an agent. */
export interface ExecutionReading {
  /** The ids of the terminals that it refers to. */
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

/** Terminal ids of the gateway are shorter than this. */
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

/** Returns undefined for an invalid value, which is then treated as not recorded. */
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

/** Returns null for an invalid name. */
export function editorOf(value: unknown): string | null {
  return stringOf(value)?.slice(0, editorLength) || null;
}

const editorLength = 100;

/** A terminal of the gateway. `restart` is the decision that permitted a second run. */
export interface TerminalFacts extends TerminalRun {
  readonly restart?: Decision;
}

/** `agent`: a terminal of the agent itself. Undefined: an unknown terminal. */
export type TerminalLookup = (terminalId: string) => TerminalFacts | "agent" | undefined;

/** Adds a message to the execution. A terminal that was once named stays, even when the content changes. */
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
    // The decision that permitted the second run also permitted the call.
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
  const { confinement, hasLeftSandbox, editor } = run;
  return {
    terminalId,
    ...(confinement === undefined ? {} : { confinement }),
    ...(hasLeftSandbox === true ? { hasLeftSandbox } : {}),
    ...(editor === undefined ? {} : { editor }),
  };
}

/** The confinement of omitted terminals is unknown. */
function boundedTerminals(terminals: readonly CallTerminal[]): readonly CallTerminal[] {
  const [next] = terminals.slice(terminalsKept);
  if (next === undefined) return terminals;
  return [...terminals.slice(0, terminalsKept), { terminalId: next.terminalId, isUnknown: true }];
}

/** Adds a request that was opened or settled. */
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
  const rule = stringOf(recordOf(given?.["_meta"])?.[acpMeta.rule])?.slice(0, wordsLength);
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

/** Returns null for an invalid actor in a damaged log. */
function readActor(actor: Actor): Actor | null {
  const { client, rule, gateway } = recordOf(actor) ?? {};
  const isNamed = [client, rule, gateway].some((name) => typeof name === "string");
  return isNamed ? actor : null;
}

type Facts = Omit<Execution, "by" | "editor" | "confinement" | "hasLeftSandbox">;

/** Computes the derived fields, independent of the order of events. */
function resolved({
  by: _by,
  editor: _editor,
  confinement: _confinement,
  hasLeftSandbox: _left,
  ...facts
}: Facts & Partial<Execution>): Execution {
  const { terminals = [], decisions, ...rest } = facts;
  const ours = terminals.filter(({ isUnknown }) => isUnknown !== true);
  const confinement = confinementIn(facts, terminals);
  const runs = [...ours, ...(facts.report === undefined ? [] : [facts.report])];
  const hasLeft = runs.some(({ hasLeftSandbox }) => hasLeftSandbox === true);
  const editor = ours.find((terminal) => terminal.editor !== undefined)?.editor;
  return {
    by: editor === undefined ? (ours.length > 0 ? "landline" : "agent") : "editor",
    ...(editor === undefined ? {} : { editor }),
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
  // The built-in agent reports confinement when the call ends. Until then, an unconfined agent says nothing about the
  // call.
  const isUnreported = isBuiltIn === true && report === undefined && agentConfinement === null;
  if (terminals.length === 0)
    return isUnreported ? undefined : (report?.confinement ?? agentConfinement);
  // The built-in agent confines the programs in its terminals itself when the gateway does not.
  const runs = terminals.map(({ confinement, isUnknown, editor }) => {
    if (isUnknown === true) return undefined;
    return editor === undefined ? (confinement ?? report?.confinement ?? confinement) : null;
  });
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
