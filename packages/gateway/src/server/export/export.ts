import type { SessionSummary } from "@landline/protocol";
import type { VisibleLog } from "../../log/log.ts";
import { byteLinesOf } from "../../log/log-lines.ts";
import { maskSecrets, maskText } from "../../telemetry/mask-secrets.ts";
import type { Session } from "../../sessions/sessions.ts";
import { chaptersOf, type ReadableLog } from "./chapters.ts";
import { entriesOf, executedAs, type People } from "./entries.ts";
import { attachment } from "./file-name.ts";
import { exportPolicy, htmlOf } from "./html.ts";
import { type ExportHeader, markdownOf, timeOf } from "./markdown.ts";
import { secretAnswersMasked } from "./secret-answers.ts";

export type ExportFormat = "json" | "markdown" | "html";

/**
 * Exports a session with secrets masked, as a stream. JSON contains every event and how each call was executed; the
 * other formats contain what a person sees on the page.
 */
export function exportSession(
  session: Session,
  format: ExportFormat,
  people: People,
  signal: AbortSignal,
): Response {
  const { summary } = session;
  const log = readUntil(session.log, signal);
  if (format === "json") return responseOf(summary, "json", jsonOf(summary, log, people));
  const cover = coverOf(summary);
  const entries = entriesOf(chaptersOf(log), people);
  return format === "markdown"
    ? responseOf(summary, format, markdownOf(cover, entries))
    : responseOf(summary, format, htmlOf(cover, entries));
}

const kinds = {
  json: { type: "application/json", ending: "json", policy: "default-src 'none'" },
  markdown: { type: "text/markdown; charset=utf-8", ending: "md", policy: "default-src 'none'" },
  html: { type: "text/html; charset=utf-8", ending: "html", policy: exportPolicy },
} as const;

function responseOf(
  summary: SessionSummary,
  format: ExportFormat,
  pieces: AsyncIterable<string>,
): Response {
  const { type, ending, policy } = kinds[format];
  return new Response(ReadableStream.from(bytesOf(pieces)), {
    headers: {
      "content-type": type,
      "content-disposition": attachment(titleOf(summary), summary.sessionId, ending),
      "content-security-policy": policy,
    },
  });
}

const PIECE_LENGTH = 64 * 1_024;

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

/** Stops with the reader: otherwise a part without output would be read to its end. */
function readUntil(log: VisibleLog, signal: AbortSignal): ReadableLog {
  return {
    async *read(after) {
      for await (const chunk of log.read(after)) {
        signal.throwIfAborted();
        yield chunk;
      }
    },
  };
}

async function* jsonOf(
  summary: SessionSummary,
  log: ReadableLog,
  people: People,
): AsyncGenerator<string> {
  yield `{"format":"landline-export","version":1,"session":${JSON.stringify(maskSecrets(summary))},"events":[`;
  let separator = "\n";
  const withoutSecretAnswers = secretAnswersMasked();
  for await (const chunk of log.read(0)) {
    for (const line of byteLinesOf(chunk)) {
      const event = withoutSecretAnswers(JSON.parse(line.toString()));
      yield `${separator}${JSON.stringify(maskSecrets(event))}`;
      separator = ",\n";
    }
  }
  yield '\n],"executions":[';
  separator = "\n";
  for await (const execution of executionsOf(log, people)) {
    yield `${separator}${JSON.stringify(maskSecrets(execution))}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}

/**
 * How each tool call was executed. `first` is the sequence number of the call's first event, because ids are reused.
 */
async function* executionsOf(log: ReadableLog, people: People): AsyncGenerator<object> {
  for await (const { items, subagents } of chaptersOf(log)) {
    const threads = [{ subagent: undefined, items }, ...subagents];
    for (const { subagent, items: done } of threads) {
      for (const item of done) {
        if (item.type !== "tool-call") continue;
        const { first, toolCallId, title, execution } = item;
        const child = subagent === undefined ? {} : { child: subagent.sessionId };
        const words = executedAs(item, people, subagent);
        yield { first, toolCallId, ...child, title, words, execution };
      }
    }
  }
}

/** The same title as in lists. */
function titleOf({ title, firstPrompt }: SessionSummary): string | null {
  const name = title ?? firstPrompt;
  return name === null ? null : maskText(name);
}

function coverOf(summary: SessionSummary): ExportHeader {
  const { sessionId, agent, cwd, openedAt } = summary;
  return {
    title: titleOf(summary) ?? "Conversation",
    facts: [
      ["Session", sessionId],
      ["Agent", agent],
      ["Folder", cwd],
      ["Opened", openedAt === null ? "" : timeOf(openedAt)],
    ],
  };
}
