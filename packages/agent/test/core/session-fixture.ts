import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import type { AgentDefinition, Config } from "../../src/config/config.ts";
import type { Decision, UserRequests, PermissionQuestion } from "../../src/core/user-requests.ts";
import type { AgentEvent, SessionRecord } from "../../src/core/record.ts";
import type { SessionParts } from "../../src/core/session-parts.ts";
import { Session } from "../../src/core/session.ts";
import { newState } from "../../src/core/state.ts";
import { toModelMessages } from "../../src/core/messages.ts";
import type { ModelInfo, ModelProblem } from "../../src/model/model.ts";
import { streamStep, type StepPart, type StepRequest } from "../../src/model/stream.ts";
import type { Rule } from "../../src/permission/rule.ts";
import type { ToolSituation } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { noSandbox } from "../../src/workspace/command-sandbox.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

/** What the model streams in one step: parts, or a function that handles the signal. */
export type Reply = StepPart[] | ((request: StepRequest) => AsyncIterable<StepPart>);

export const usage = {
  inputTokens: 100,
  outputTokens: 10,
  thoughtTokens: 0,
  cachedReadTokens: 0,
  cachedWriteTokens: 0,
};

export function says(text: string): StepPart[] {
  return [
    { type: "text-delta", partId: "0", delta: text },
    { type: "text-end", partId: "0" },
    { type: "finish", finish: "stop", usage },
  ];
}

export function calls(...made: { tool: string; input: unknown; callId?: string }[]): StepPart[] {
  const parts = made.map(({ tool: name, input, callId }, index): StepPart => {
    return {
      type: "tool-call",
      callId: callId ?? `call-${index}-${Math.random()}`,
      tool: name,
      input,
    };
  });
  return [...parts, { type: "finish", finish: "tool-calls", usage }];
}

export const info: ModelInfo = {
  id: "test/model",
  name: "Test Model",
  provider: "test",
  providerName: "Test",
  contextTokens: 100_000,
  outputTokens: 8_000,
  cost: { input: 1, output: 10 },
  takes: { image: false, audio: false, document: false },
  tools: true,
  efforts: [],
  prefersPatches: false,
};

function definition(
  id: string,
  role: AgentDefinition["role"],
  rules: Rule[] = [],
): AgentDefinition {
  return {
    id,
    name: id,
    description: id,
    role,
    prompt: undefined,
    model: undefined,
    rules,
    untrustedRules: [],
    steps: undefined,
    hidden: false,
  };
}

const config: Config = {
  model: undefined,
  smallModel: undefined,
  providers: {},
  localProviders: false,
  permissionLevel: "ask",
  sandbox: null,
  rules: { user: [{ permission: "*", pattern: "*", action: "allow" }], project: [] },
  agents: [
    definition("build", "primary"),
    definition("plan", "primary", [{ permission: "edit", pattern: "*", action: "deny" }]),
    definition("general", "subagent"),
  ],
  defaultMode: "build",
  commands: [],
  mcpServers: [],
  instructions: [],
  compaction: { auto: true },
  subagentDepth: 1,
  formatters: [],
  linters: [],
  problems: [],
  sources: [],
};

const workspace = {
  cwd: "/project",
  roots: ["/project"],
  display: (path: string) => path,
  resolve: (path: string) => path,
  sandbox: noSandbox,
} as unknown as Workspace;

export function tool(name: string, run: Tool["run"], extra: Partial<Tool> = {}): Tool {
  return {
    name,
    description: name,
    input: z.looseObject({}),
    kind: "other",
    permission: name,
    view: () => ({ title: `${name}!`, locations: [], content: [] }),
    run,
    ...extra,
  };
}

/** A session with a scripted model that records everything that happens. */
export class SessionFixture {
  readonly records: SessionRecord[] = [];
  readonly events: AgentEvent[] = [];
  /** Without events of subagents. */
  readonly own: AgentEvent[] = [];
  readonly requests: StepRequest[] = [];
  readonly questions: PermissionQuestion[] = [];
  readonly tools: Tool[];
  #situation: ToolSituation | undefined;
  decide: (question: PermissionQuestion, signal: AbortSignal) => Promise<Decision> = () =>
    Promise.resolve({ answer: "once" });
  onEvent: (event: AgentEvent) => void = () => undefined;
  leavePlan: UserRequests["leavePlan"] = () => Promise.resolve("keep-planning");
  readonly session: Session;

  constructor(options: {
    replies: Reply[];
    /** Instead of replies: a model of the AI SDK. */
    model?: LanguageModelV4;
    tools?: Tool[];
    config?: Partial<Config>;
    info?: Partial<ModelInfo>;
    parts?: Partial<SessionParts>;
  }) {
    const replies = [...options.replies];
    const opened = options.model;
    this.tools = [...(options.tools ?? [])];
    const model = { ...info, ...options.info };
    const user: UserRequests = {
      decide: (question, signal) => {
        this.questions.push(question);
        return this.decide(question, signal);
      },
      questions: null,
      leavePlan: (...question) => this.leavePlan(...question),
    };
    const created = {
      kind: "session-created" as const,
      version: 1 as const,
      at: 0,
      sessionId: "session",
      cwd: "/project",
      directories: [],
    } satisfies SessionRecord;
    const parts: SessionParts = {
      file: {
        sessionId: "session",
        records: [],
        append: (record) => this.records.push(record),
        flush: () => Promise.resolve(),
        outputs: "/outputs",
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      project: {
        config: { ...structuredClone(config), ...options.config },
        customTools: [],
        rules: [],
        untrustedConfig: null,
      },
      workspace,
      models: {
        list: () => [model],
        default: () => model,
        whyDefault: () => "because it is the only one",
        small: () => model,
        find: (id) => (id === model.id ? model : null),
        open: () => Promise.resolve(opened ?? ({} as LanguageModelV4)),
        effortOptions: () => ({}),
        settled: () => Promise.resolve(),
        notices: () => [],
        onChange: () => () => undefined,
        close: () => undefined,
      },
      mcp: {
        ready: () => Promise.resolve(),
        status: () => [],
        tools: () => [],
        prompts: () => [],
        instructions: () => [],
        onChange: () => () => undefined,
        close: () => Promise.resolve(),
      },
      user,
      parent: null,
      taskCallId: null,
      isGit: false,
      locks: new FileLocks(),
      listener: (session, event) => {
        this.events.push(event);
        if (!session.parts.parent) this.own.push(event);
        this.onEvent(event);
      },
      stream: (request) => (opened ? streamStep(request) : this.#stream(request, replies)),
      toolsFor: (situation) => {
        this.#situation = situation;
        return Promise.resolve(this.tools);
      },
      subagents: () => null,
      truncate: (output) => Promise.resolve(output),
      readPrompt: (content, _signal, from = 0) =>
        Promise.resolve(
          content
            .slice(from)
            .flatMap((block) =>
              block.type === "text" ? [{ type: "text", text: block.text }] : [],
            ),
        ),
      expandCommand: (command, values) =>
        Promise.resolve(command.template.replace("$ARGUMENTS", values)),
      restore: (_session, direction) => Promise.resolve(`${direction} done`),
      release: () => Promise.resolve(),
      reopen: () => Promise.reject(new Error("not in these tests")),
      tracked: (_session, _promptId, run) => run(() => Promise.resolve()),
      ...options.parts,
    };
    // The session has a title, so that none is generated in the background.
    this.session = new Session(parts, { ...newState(created), title: "Named" });
  }

  async *#stream(request: StepRequest, replies: Reply[]): AsyncIterable<StepPart> {
    this.requests.push(request);
    const reply = replies.shift();
    if (!reply) throw new Error("The model was asked more often than the test says.");
    if (Array.isArray(reply)) yield* reply;
    else yield* reply(request);
  }

  /** The context of the last step's tools. */
  get situation(): ToolSituation {
    if (!this.#situation) throw new Error("No step has begun.");
    return this.#situation;
  }

  prompt(text: string, signal?: AbortSignal) {
    return this.session.prompt([{ type: "text", text }], signal);
  }

  kinds(): string[] {
    return this.records.map((record) => record.kind);
  }

  ended(): Extract<SessionRecord, { kind: "tool-ended" }>[] {
    return this.records.filter((record) => record.kind === "tool-ended");
  }
}

/** Streams the parts, then waits for the abort. */
export async function* until(parts: StepPart[], request: StepRequest): AsyncIterable<StepPart> {
  yield* parts;
  await new Promise<void>((resolve) => {
    if (request.signal.aborted) resolve();
    else request.signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export async function* failing(
  problem: ModelProblem,
  parts: StepPart[] = [],
): AsyncIterable<StepPart> {
  yield* parts;
  throw problem;
}

/** Errors in the history that the model would read. Always empty. */
export function faults(fixture: SessionFixture): string[] {
  const found: string[] = [];
  const open = new Set<string>();
  for (const message of toModelMessages(fixture.session.state, info)) {
    if (message.content.length === 0) found.push(`an empty ${message.role} message`);
    if (typeof message.content === "string") continue;
    if (message.role !== "tool" && open.size > 0) found.push("a call without a result");
    for (const part of message.content) {
      if (part.type === "tool-call") open.add(part.toolCallId);
      if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
        found.push("a result without a call");
      }
    }
  }
  return open.size > 0 ? [...found, "a call without a result"] : found;
}
