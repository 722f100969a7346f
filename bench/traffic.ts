/**
 * The traffic of a busy agent. (Lines of seventeen real agents have a median of 216 bytes and a 90th percentile of
 * 282.) Plain traffic is text chunks in lines of 300 bytes; mixed traffic has two tool calls and two updates with a 4.5
 * KB diff in every hundred lines.
 */
export const SESSION = "bench-session";

const text = "a line of an answer that streams in as the model writes it, word by word, and so on";

function line(update: object): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: SESSION, update },
  });
}

function padded(update: (fill: string) => object, bytes: number): string {
  const bare = line(update("")).length;
  return line(update(text.repeat(60).slice(0, Math.max(0, bytes - bare))));
}

/** A message has about a hundred chunks; a tool call ends it. */
function chunkLine(message: number): string {
  return padded(
    (fill) => ({
      sessionUpdate: "agent_message_chunk",
      messageId: `m-${message}`,
      content: { type: "text", text: fill },
    }),
    300,
  );
}

function toolLine(index: number): string {
  return line({
    sessionUpdate: "tool_call",
    toolCallId: `t-${index}`,
    title: "Edit main.ts",
    kind: "edit",
    status: "pending",
    locations: [{ path: "/repo/src/main.ts", line: 12 }],
  });
}

function diffLine(index: number): string {
  return padded(
    (fill) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: `t-${index}`,
      status: "completed",
      content: [
        { type: "diff", path: "/repo/src/main.ts", oldText: "const a = 1;", newText: fill },
      ],
    }),
    4_500,
  );
}

export function trafficLine(index: number, mixed: boolean): string {
  const place = index % 50;
  if (mixed && place === 20) return toolLine(index);
  if (mixed && place === 40) return diffLine(index - 20);
  return chunkLine(mixed ? Math.floor((index + 30) / 50) : Math.floor(index / 300));
}

/** Events as a session would append them. */
export function trafficDrafts(
  from: number,
  count: number,
  mixed: boolean,
): { kind: "update"; raw: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const { params } = JSON.parse(trafficLine(from + index, mixed)) as {
      params: { update: object };
    };
    return { kind: "update", raw: JSON.stringify(params.update) };
  });
}
