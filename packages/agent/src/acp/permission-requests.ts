import { textContent } from "../tools/tool.ts";
import type { PermissionOption, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type {
  DisplayedCall,
  Decision,
  UserRequests,
  PermissionQuestion,
  PlanExit,
} from "../core/user-requests.ts";
import type { OfferedOption, PermissionRequest } from "../permission/rule.ts";
import { canRemember, coverage, shortNames } from "./always-option.ts";
import type { Client } from "./acp-client.ts";
import { askQuestions } from "./questions.ts";

/**
 * Asks the user through an ACP client. If the client cannot ask, fails or cancels, the answer is "reject".
 */
export function userRequestsTo(client: Client): UserRequests {
  const { elicitation } = client.capabilities;
  return {
    decide: (question, signal) => decide(client, question, signal),
    questions: elicitation?.form
      ? (call, questions, signal) => askQuestions(client, call, questions, signal)
      : null,
    leavePlan: (call, plan, signal) => leavePlan(client, call, plan, signal),
  };
}

/** Marks a request that clients must not answer automatically (`sandboxRequest` of the protocol). */
const sandboxRequest = "landline/sandbox";

/** What the user reads about a command that would leave its sandbox; empty when none would. */
function leavingText({ requests }: PermissionQuestion): string {
  return requests.find(({ leavesSandbox }) => leavesSandbox !== undefined)?.leavesSandbox ?? "";
}

const answers: Record<string, Decision["answer"]> = {
  once: "once",
  always: "always",
  reject: "reject",
  never: "never",
};

async function decide(
  client: Client,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<Decision> {
  const { call, requests } = question;
  // The first request that sets a part of the view wins: a location outside comes before the action there.
  const view = Object.assign({}, call.view, ...requests.map((each) => each.view).toReversed());
  const content = [...explanation(question), ...view.content];
  const shown = onScreen({ ...call, view: { ...view, content } });
  const toolCall = leavingText(question)
    ? { ...shown, _meta: { ...shown._meta, [sandboxRequest]: {} } }
    : shown;
  const { options } = question;
  if (options === undefined) {
    const usual = permissionOptions(requests);
    return { answer: answers[await choose(client, call, toolCall, usual, signal)] ?? "reject" };
  }
  const offered = options.map(({ id, name, kind }) => ({ optionId: id, name, kind }));
  const chosen = await choose(client, call, toolCall, offered, signal);
  const option = options.find(({ id }) => id === chosen);
  return option ? { answer: answerOf[option.kind], option: option.id } : { answer: "reject" };
}

const answerOf: Record<OfferedOption["kind"], Decision["answer"]> = {
  allow_once: "once",
  allow_always: "always",
  reject_once: "reject",
};

/** Shown above the diff or command: which subagent asks, why, and what "always" would cover. */
function explanation(question: PermissionQuestion): ToolCallContent[] {
  const { call, requests, options } = question;
  const who = call.agent === null ? "" : `Asked by the ${call.agent} subagent.`;
  // A question with its own options lists all reasons, because its options cover them all.
  const shown = options ? Infinity : reasonsShown;
  const leaving = leavingText(question);
  const texts = [who, leaving, reasonsOf(requests, shown, leaving), coverage(requests)];
  return texts.flatMap(textContent);
}

/** More reasons are only counted. */
const reasonsShown = 3;

/**
 * Requests without "always" come first, so that a credential is never among the reasons that are only
 * counted.
 */
function reasonsOf(requests: readonly PermissionRequest[], shown: number, said: string): string {
  const sorted = requests.toSorted((one, other) => rank(one) - rank(other));
  const given = new Set(sorted.flatMap(({ because = [] }) => because));
  const all = [...given].filter((reason) => !said.includes(reason));
  if (all.length === 0) return "";
  const rest = all.length - shown;
  const more = rest > 0 ? [`${rest} more ${rest === 1 ? "reason" : "reasons"}`] : [];
  return `Asked because ${[...all.slice(0, shown), ...more].join("; ")}.`;
}

function rank({ always }: PermissionRequest): number {
  return always.length === 0 ? 0 : 1;
}

function permissionOptions(requests: readonly PermissionRequest[]): PermissionOption[] {
  const once: PermissionOption = { optionId: "once", name: "Allow", kind: "allow_once" };
  const reject: PermissionOption = { optionId: "reject", name: "Reject", kind: "reject_once" };
  if (!canRemember(requests)) return [once, reject];
  const what = shortNames(requests);
  return [
    once,
    { optionId: "always", name: `Always allow ${what} in this session`, kind: "allow_always" },
    reject,
    { optionId: "never", name: `Never allow ${what} in this session`, kind: "reject_always" },
  ];
}

const exits: Record<string, PlanExit> = {
  "build-accepting-edits": "build-accepting-edits",
  "build-asking": "build-asking",
};

async function leavePlan(
  client: Client,
  call: DisplayedCall,
  plan: string,
  signal: AbortSignal,
): Promise<PlanExit> {
  const content = { type: "content" as const, content: { type: "text" as const, text: plan } };
  const view = {
    ...call.view,
    kind: "switch_mode" as const,
    content: plan === "" ? [] : [content],
  };
  const options: PermissionOption[] = [
    {
      optionId: "build-accepting-edits",
      name: "Build it, and accept all edits",
      kind: "allow_always",
    },
    { optionId: "build-asking", name: "Build it, and ask before each edit", kind: "allow_once" },
    { optionId: "keep-planning", name: "Keep planning", kind: "reject_once" },
  ];
  const chosen = await choose(client, call, onScreen({ ...call, view }), options, signal);
  return exits[chosen] ?? "keep-planning";
}

/** The id of the chosen option; empty when none was chosen. */
async function choose(
  client: Client,
  call: DisplayedCall,
  toolCall: ToolCallUpdate,
  options: PermissionOption[],
  signal: AbortSignal,
): Promise<string> {
  try {
    const sessionId = call.rootSessionId;
    const { outcome } = await client.requestPermission({ sessionId, toolCall, options }, signal);
    return outcome.outcome === "selected" ? outcome.optionId : "";
  } catch (error) {
    if (signal.aborted) throw error;
    // The client does not support permission requests, or failed: reject.
    return "";
  }
}

/** A subagent's call is shown on the root session, with the subagent's name in its title. */
function onScreen(call: DisplayedCall): ToolCallUpdate {
  const toolCallId = call.taskCallId === null ? call.callId : `${call.taskCallId}/${call.callId}`;
  const title = call.agent === null ? call.view.title : `${call.agent}: ${call.view.title}`;
  const meta = call.taskCallId === null ? {} : { _meta: { parentToolCallId: call.taskCallId } };
  const { kind, locations, content } = call.view;
  const { tool: name, rawInput } = call;
  return {
    toolCallId,
    title,
    name,
    kind,
    status: "pending",
    locations,
    content,
    rawInput,
    ...meta,
  };
}
