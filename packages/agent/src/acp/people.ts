import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type {
  CallOnScreen,
  Decision,
  People,
  PermissionQuestion,
  PlanExit,
} from "../core/people.ts";
import type { PermissionRequest } from "../permission/rule.ts";
import type { Client } from "./client.ts";
import { askQuestions } from "./questions.ts";

/** The person behind an ACP client. A client that can't ask, fails, or cancels says no for them. */
export function peopleBehind(client: Client): People {
  const { elicitation } = client.capabilities;
  return {
    decide: (question, signal) => decide(client, question, signal),
    questions: elicitation?.form
      ? (call, questions, signal) => askQuestions(client, call, questions, signal)
      : null,
    leavePlan: (call, plan, signal) => leavePlan(client, call, plan, signal),
  };
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
  const { call, request } = question;
  const toolCall = onScreen({ ...call, view: { ...call.view, ...request.view } });
  const options = permissionOptions(request);
  return { answer: answers[await choose(client, call, toolCall, options, signal)] ?? "reject" };
}

function permissionOptions({ permission, always }: PermissionRequest): PermissionOption[] {
  const once: PermissionOption = { optionId: "once", name: "Allow", kind: "allow_once" };
  const reject: PermissionOption = { optionId: "reject", name: "Reject", kind: "reject_once" };
  if (always.length === 0) return [once, reject];
  const what = always.every((pattern) => pattern === "*")
    ? (everything[permission] ?? permission)
    : always.join(", ");
  return [
    once,
    { optionId: "always", name: `Always allow ${what} in this session`, kind: "allow_always" },
    reject,
    { optionId: "never", name: `Never allow ${what} in this session`, kind: "reject_always" },
  ];
}

/** What `*` means, in words. */
const everything: Record<string, string> = {
  edit: "edits",
  bash: "commands",
  webfetch: "fetches",
  read: "reading",
  task: "helpers",
  question: "questions",
};

const exits: Record<string, PlanExit> = {
  "build-accepting-edits": "build-accepting-edits",
  "build-asking": "build-asking",
};

async function leavePlan(
  client: Client,
  call: CallOnScreen,
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

/** The chosen option's id; empty when nobody chose one that was offered. */
async function choose(
  client: Client,
  call: CallOnScreen,
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
    // A client without permissions, or one that broke: nobody said yes.
    return "";
  }
}

/** A subagent's call stands on the root session, under the name of who makes it. */
function onScreen(call: CallOnScreen): ToolCallUpdate {
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
