import type { ModelMessage } from "ai";
import type { OfferedTool, StepPart } from "../model/stream.ts";
import type { Tool, ToolView } from "../tools/tool.ts";
import { validFields } from "./valid-input-fields.ts";
import type { StepEnded, Usage } from "./record.ts";
import type { StepPlan, TurnHost } from "./turn-host.ts";

export interface StepCall {
  callId: string;
  tool: string;
  input: unknown;
  view: ToolView;
  /** What is wrong with the input, if it is unusable. */
  problem: string | null;
}

export interface StepOutcome {
  finish: StepEnded["finish"];
  calls: StepCall[];
  usage: Usage | null;
  /** Some output was shown, so the step cannot be repeated silently. */
  shown: boolean;
}

interface OpenPart {
  partId: string;
  type: "text" | "thought";
  text: string;
}

/**
 * Converts the stream of one answer to records. However the stream ends, its output is recorded: partial text
 * is kept, a call with incomplete input is dropped.
 */
export class Step {
  readonly #host: TurnHost;
  readonly #plan: StepPlan;
  readonly #stepId: string;
  readonly #open = new Map<string, OpenPart>();
  /** Calls whose input is being streamed, by the provider's id. */
  readonly #announced = new Map<string, string>();
  readonly #calls: StepCall[] = [];
  #parts = 0;
  #hidden = 0;

  constructor(host: TurnHost, plan: StepPlan, stepId: string) {
    this.#host = host;
    this.#plan = plan;
    this.#stepId = stepId;
  }

  /** Throws ModelProblem after the partial answer was recorded. */
  async run(
    messages: ModelMessage[],
    tools: OfferedTool[],
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    let finish: StepEnded["finish"] = "error";
    let usage: Usage | null = null;
    try {
      const { model, system, providerOptions, info } = this.#plan;
      const request = { model, system, messages, tools, providerOptions, signal };
      for await (const part of this.#host.stream({
        ...request,
        maxOutputTokens: info.outputTokens,
      })) {
        if (part.type === "finish") ({ finish, usage } = part);
        else this.#take(part);
      }
      if (signal.aborted) finish = "cancelled";
    } finally {
      this.#closeParts();
    }
    return { finish, usage, calls: this.#calls, shown: this.#parts > 0 };
  }

  /** The complete calls, even of an incomplete answer. */
  get calls(): readonly StepCall[] {
    return this.#calls;
  }

  #take(part: Exclude<StepPart, { type: "finish" }>): void {
    switch (part.type) {
      case "text-delta":
        this.#add("text", part.partId, part.delta);
        return;
      case "thought-delta":
        this.#add("thought", part.partId, part.delta);
        return;
      case "thought-end":
        this.#keepHidden(part.partId, part.provider);
        this.#close("thought", part.partId, part.provider);
        return;
      case "text-end":
        this.#close("text", part.partId, part.provider);
        return;
      case "tool-input-start":
        this.#announce(part.callId, part.tool);
        return;
      case "tool-call":
        this.#call(part.callId, part.tool, part.input, null, part.provider);
        return;
      case "tool-call-invalid":
        this.#call(part.callId, part.tool, part.input, part.problem, undefined);
        return;
    }
  }

  #announce(given: string, tool: string): void {
    if (this.#announced.has(given)) return;
    this.#parts += 1;
    const callId = this.#host.callIds.claim(given);
    this.#announced.set(given, callId);
    this.#host.show({ kind: "tool-announced", stepId: this.#stepId, callId, tool });
  }

  #add(type: OpenPart["type"], id: string, delta: string): void {
    if (delta === "") return;
    const key = `${type} ${id}`;
    let part = this.#open.get(key);
    if (!part) {
      this.#parts += 1;
      part = { partId: `${this.#stepId}.${this.#parts}`, type, text: "" };
      this.#open.set(key, part);
    }
    part.text += delta;
    const kind = type === "text" ? "text-streamed" : "thought-streamed";
    this.#host.show({ kind, stepId: this.#stepId, partId: part.partId, delta });
  }

  #close(type: OpenPart["type"], id: string, provider: Record<string, unknown> | undefined): void {
    const part = this.#open.get(`${type} ${id}`);
    this.#open.delete(`${type} ${id}`);
    if (part) this.#keepPart(part, provider);
  }

  #keepPart(part: OpenPart, provider: Record<string, unknown> | undefined): void {
    const kind = part.type === "text" ? "text-added" : "thought-added";
    const { partId, text } = part;
    this.#host.append({ kind, stepId: this.#stepId, partId, text, ...(provider && { provider }) });
  }

  /** Hidden reasoning has no text but must be sent back to the provider. */
  #keepHidden(id: string, provider: Record<string, unknown> | undefined): void {
    if (provider === undefined || this.#open.has(`thought ${id}`)) return;
    this.#hidden += 1;
    const partId = `${this.#stepId}.hidden-${this.#hidden}`;
    this.#keepPart({ partId, type: "thought", text: "" }, provider);
  }

  #closeParts(): void {
    for (const part of this.#open.values()) this.#keepPart(part, undefined);
    this.#open.clear();
    for (const callId of this.#announced.values())
      this.#host.show({ kind: "tool-withdrawn", callId });
  }

  #call(
    given: string,
    tool: string,
    input: unknown,
    problem: string | null,
    provider: Record<string, unknown> | undefined,
  ): void {
    this.#parts += 1;
    const callId = this.#announced.get(given) ?? this.#host.callIds.claim(given);
    this.#announced.delete(given);
    const view = viewOf(this.#plan.tools.get(tool), tool, input, this.#host);
    this.#calls.push({ callId, tool, input, view, problem });
    this.#host.append({
      kind: "tool-called",
      stepId: this.#stepId,
      callId,
      tool,
      input,
      view,
      ...(provider && { provider }),
    });
  }
}

function viewOf(tool: Tool | undefined, name: string, input: unknown, host: TurnHost): ToolView {
  const plain: ToolView = { title: name, kind: tool?.kind ?? "other", locations: [], content: [] };
  if (!tool || typeof input !== "object" || input === null) return plain;
  try {
    return { ...plain, ...tool.view(validFields(tool, input), host.workspace) };
  } catch {
    // The input is not validated yet; a view that throws must not end the turn.
    return plain;
  }
}
