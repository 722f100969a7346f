import { z } from "zod";
import { promptContentSchema } from "./content.ts";
import { absolutePath, bounds, commandId, cursor, id, list, title, value, note } from "./fields.ts";
import { mcpServersSchema } from "./mcp-servers.ts";
import { outcomeSchema, questionOutcomeSchema } from "./outcome.ts";
import { readPlainAnswer } from "./plain-answer.ts";
import { readWith } from "./read.ts";

const session = { sessionId: id };

/** One of the agent's config options, or `model` of its older models, and what it is to be. */
const choice = { configId: id, value: z.union([value, z.boolean()]) };

/** How long text chunks and repeated tool updates may be held back, to be sent as one. */
const windowMs = z.literal([0, 16, 50]);

/** The fields of each command, without `id` and `type`. Unknown fields are tolerated and left out. */
export const commandFields = {
  attach: { ...session, after: cursor.exactOptional(), windowMs: windowMs.exactOptional() },
  detach: session,
  open: {
    agent: id,
    cwd: absolutePath,
    roots: list(absolutePath, { most: bounds.rootsPerSession }).exactOptional(),
    mcpServers: mcpServersSchema.exactOptional(),
    title: title.exactOptional(),
    /** Chosen in that order before anything is prompted; what the agent does not take is an error in the log. */
    config: list(z.object(choice), { most: bounds.choicesPerSession }).exactOptional(),
  },
  prompt: { ...session, promptId: id, content: promptContentSchema },
  "change-prompt": { ...session, promptId: id, content: promptContentSchema },
  "withdraw-prompt": { ...session, promptId: id },
  /** Before another that waits; null: to the end. */
  "move-prompt": { ...session, promptId: id, before: id.nullable() },
  cancel: session,
  /** What is said with a rejection is the next prompt. */
  answer: { ...session, askId: id, outcome: outcomeSchema, note: note.exactOptional() },
  "set-mode": { ...session, modeId: id },
  /** `remember`: the next conversation with this agent is to begin so. A model or an effort is remembered, and no mode. */
  "set-config": { ...session, ...choice, remember: z.boolean().exactOptional() },
  /** Null takes the title away: then the agent may give one. */
  rename: { ...session, title: title.nullable() },
  fork: session,
  close: session,
  delete: session,
  "sign-in": { agent: id, methodId: id },
  /** Without a `questionId`, the question that is open is answered, whichever it is. */
  "answer-sign-in": {
    agent: id,
    outcome: questionOutcomeSchema,
    questionId: id.exactOptional(),
  },
  "cancel-sign-in": { agent: id },
  "sign-out": { agent: id },
  "terminal-attach": { terminalId: id },
  "terminal-detach": { terminalId: id },
  "terminal-input": { terminalId: id, text: z.string().min(1).max(bounds.terminalInputLength) },
  "terminal-resize": {
    terminalId: id,
    columns: z.int().min(1).max(bounds.terminalCells),
    rows: z.int().min(1).max(bounds.terminalCells),
  },
} as const;

export type CommandType = keyof typeof commandFields;

function command<Type extends CommandType>(type: Type) {
  return z.object({ id: commandId, type: z.literal(type), ...commandFields[type] });
}

export const commandSchema = z.discriminatedUnion("type", [
  command("attach"),
  command("detach"),
  command("open"),
  command("prompt"),
  command("change-prompt"),
  command("withdraw-prompt"),
  command("move-prompt"),
  command("cancel"),
  command("answer"),
  command("set-mode"),
  command("set-config"),
  command("rename"),
  command("fork"),
  command("close"),
  command("delete"),
  command("sign-in"),
  command("answer-sign-in"),
  command("cancel-sign-in"),
  command("sign-out"),
  command("terminal-attach"),
  command("terminal-detach"),
  command("terminal-input"),
  command("terminal-resize"),
]);

export type Command = z.output<typeof commandSchema>;

/** Throws `invalid-params` that names the field. */
export function readCommand(sent: unknown): Command {
  return readPlainAnswer(sent) ?? readWith(commandSchema, sent, "The command");
}
