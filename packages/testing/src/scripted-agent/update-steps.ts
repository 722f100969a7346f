import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "./json.ts";
import { lineOf } from "./output.ts";
import { setConfigValue, setModeValue, shownOptions } from "./options.ts";
import type { Flood, Saying } from "./step.ts";
import {
  filled,
  remember,
  ScenarioFault,
  sendUpdate,
  updateMessage,
  type Handlers,
  type StepContext,
} from "./step-context.ts";
import { pace, waitMs } from "./delays.ts";

type UpdateStep =
  | "say"
  | "think"
  | "hear"
  | "flood"
  | "update"
  | "tool"
  | "toolUpdate"
  | "plan"
  | "mode"
  | "config"
  | "usage"
  | "title"
  | "commands"
  | "notice"
  | "environment";

const writeBytes = 64 * 1024;

export const updateSteps: Handlers<UpdateStep> = {
  say: (body, context) => speak("agent_message_chunk", body, context),
  think: (body, context) => speak("agent_thought_chunk", body, context),
  hear: (body, context) => speak("user_message_chunk", body, context),
  flood,
  update: (body, context) => sendUpdate(context, filled(body, context)),
  tool: (body, context) =>
    sendUpdate(context, { sessionUpdate: "tool_call", ...filled(body, context) }),
  toolUpdate: (body, context) =>
    sendUpdate(context, { sessionUpdate: "tool_call_update", ...filled(body, context) }),
  plan: (body, context) =>
    sendUpdate(context, { sessionUpdate: "plan", entries: filled(body, context) }),
  mode: changeMode,
  config: changeConfig,
  usage: (body, context) =>
    sendUpdate(context, { sessionUpdate: "usage_update", ...filled(body, context) }),
  title: (body, context) => {
    const title = filled(body, context);
    if (context.session !== undefined && context.child === undefined) context.session.title = title;
    sendUpdate(context, { sessionUpdate: "session_info_update", title });
  },
  commands: (body, context) =>
    sendUpdate(context, {
      sessionUpdate: "available_commands_update",
      availableCommands: filled(body, context),
    }),
  notice: (body, context) =>
    sendUpdate(context, { sessionUpdate: "notice", ...filled(body, context) }),
  environment: (body, context) => {
    const { environment } = context.connection.host;
    const names = body === true ? Object.keys(environment).toSorted() : body;
    const dump = Object.fromEntries(names.map((name) => [name, environment[name] ?? null]));
    const content = textBlock(JSON.stringify(dump));
    sendUpdate(context, { sessionUpdate: "agent_message_chunk", content });
  },
};

async function speak(kind: string, body: string | Saying, context: StepContext): Promise<void> {
  const saying = filled(typeof body === "string" ? { text: body } : body, context);
  const { text, content, messageId, chunkChars, everyMs } = saying;
  const contents =
    content === undefined ? pieces(text ?? "", chunkChars).map(textBlock) : [content];
  for (const block of contents) {
    const id = messageId === undefined ? {} : { messageId };
    sendUpdate(context, { sessionUpdate: kind, ...id, content: block });
    await context.output.drained(context.signal);
    if (everyMs !== undefined) await waitMs(everyMs, context.signal);
  }
}

function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** Splits between code points, so that no chunk contains half a character. */
function pieces(text: string, chars: number | undefined): string[] {
  if (chars === undefined) return [text];
  const points = Array.from(text);
  const found: string[] = [];
  for (let start = 0; start < points.length; start += chars) {
    found.push(points.slice(start, start + chars).join(""));
  }
  return found;
}

async function flood(body: Flood, context: StepContext): Promise<void> {
  const { count, bytes = 64, perSecond, perWrite, messageId, as = "say" } = filled(body, context);
  const update = (text: string): JsonObject => ({
    sessionUpdate: as === "say" ? "agent_message_chunk" : "agent_thought_chunk",
    ...(messageId === undefined ? {} : { messageId }),
    content: textBlock(text),
  });
  // The lines differ only in their text, so build them without JSON.stringify: a flood must be faster than its readers.
  const line = lineOf(updateMessage(context, update("")));
  const textAt = line.lastIndexOf('""') + 1;
  const [start, end] = [line.slice(0, textAt), line.slice(textAt)];
  await pace(count, perSecond, context.signal, async (from, to) => {
    let batch = "";
    let lines = 0;
    for (let index = from; index < to; index += 1) {
      const text = `${index} `.padEnd(bytes, "x");
      batch += start + text + end;
      lines += 1;
      if (context.session?.isFull === false) remember(context, update(text));
      if (perWrite === undefined ? batch.length < writeBytes : lines < perWrite) continue;
      context.output.raw(batch);
      batch = "";
      lines = 0;
      await context.output.drained(context.signal);
      context.signal.throwIfAborted();
      // Yield between writes, so that a cancel can be read even if the reader is never slow.
      await setImmediate();
    }
    if (batch !== "") context.output.raw(batch);
    await context.output.drained(context.signal);
  });
}

function changeMode(body: string, context: StepContext): void {
  const modeId = filled(body, context);
  if (context.session !== undefined && context.child === undefined) {
    setModeValue(context.session, modeId);
  }
  sendUpdate(context, { sessionUpdate: "current_mode_update", currentModeId: modeId });
}

function changeConfig(body: JsonObject, context: StepContext): void {
  const { session } = context;
  if (session?.configOptions === undefined) {
    throw new ScenarioFault("`config` changes an option, but session.configOptions has none");
  }
  for (const [id, value] of Object.entries(filled(body, context))) {
    if (!setConfigValue(session, id, value)) {
      throw new ScenarioFault(`session.configOptions has no option ${id} that takes this value`);
    }
  }
  sendUpdate(context, {
    sessionUpdate: "config_option_update",
    configOptions: shownOptions(session, context.connection.clientCapabilities()),
  });
}
