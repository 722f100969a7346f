import type { ToolCallItem } from "@landline/protocol";
import { type CallTexts, mergedTexts, noTexts, readCallTexts, shareOut } from "./call-texts.ts";
import { auditedExecution } from "./audited-execution.ts";
import { cleanText, clipText } from "./clean-text.ts";

type Detail = Readonly<Record<string, unknown>>;

/** What the index stores about a tool call besides the view, which has only its latest state. */
export interface CallRecord {
  /** Everything that the call and its permission requests ever named, oldest first. */
  readonly named: CallTexts;
  /** By the ids of open permission requests: the audit detail of the call when each was opened. */
  readonly asked: Readonly<Record<string, Detail>>;
}

export const noRecord: CallRecord = { named: noTexts, asked: {} };

/** Whether the call may name something that it did not name in its state before. */
export function mayNameMore(item: ToolCallItem, before: ToolCallItem | null): boolean {
  return before === null || namingFields.some((field) => item[field] !== before[field]);
}

const namingFields = ["title", "name", "kind", "rawInput", "locations", "content"] as const;

/** Returns the same record when the call names nothing new. */
export function withNames(record: CallRecord, item: ToolCallItem, isCut: boolean): CallRecord {
  const { kind, ...said } = item;
  // The view has `other` where the agent gave no kind.
  const texts = readCallTexts(kind === "other" ? said : { ...said, kind });
  const named = mergedTexts(record.named, isCut ? { ...texts, isCut } : texts);
  return named === record.named ? record : { ...record, named };
}

/** Whether it names a command that does not extend an earlier one, as streamed input does. */
export function namesAnotherCommand(known: CallTexts, named: CallTexts): boolean {
  if (known.commands.length === 0) return false;
  const continues = (command: string) => known.commands.some((one) => command.startsWith(one));
  return named.commands.some((command) => !continues(command));
}

const idLength = 1_024;
const wordLength = 100;
/** The rest is for the title, field names and decisions. */
const textShare = 0.75;

/** The call as the audit describes it. `child` is the agent's id of the child session that made it. */
export function callDetail(
  item: ToolCallItem,
  { named: all }: CallRecord,
  child: string | null,
  length: number,
): Detail {
  const { titles, kinds, isCut, ...named } = shareOut(all, length * textShare);
  return {
    toolCallId: bounded(item.toolCallId, idLength),
    title: bounded(item.title, idLength),
    kind: bounded(item.kind, wordLength),
    execution: auditedExecution(item.execution),
    ...(titles.length > 1 ? { titles } : {}),
    ...(kinds.length > 1 ? { kinds } : {}),
    ...withoutEmpty({
      toolNames: named.toolNames,
      commands: named.commands,
      paths: named.paths,
      urls: named.urls,
      mayBeCommandsOrPaths: named.others,
      mayDoMore: named.unknown,
    }),
    ...(child === null ? {} : { child: bounded(child, idLength) }),
    ...(isCut ? { truncated: true } : {}),
  };
}

/** The searchable text of a call. */
export function callText(item: ToolCallItem, record: CallRecord, length: number): string {
  const { commands, paths, urls, others } = shareOut(record.named, length * textShare);
  const title = bounded(item.title, idLength);
  return [...new Set([title, ...commands, ...paths, ...urls, ...others])].join("\n");
}

function bounded(text: string, length: number): string {
  return cleanText(clipText(text, length));
}

function withoutEmpty(lists: Readonly<Record<string, readonly string[]>>): object {
  return Object.fromEntries(Object.entries(lists).filter(([, texts]) => texts.length > 0));
}
