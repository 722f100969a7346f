import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Frame, PlayContext, Provider } from "./provider.ts";
import { playableOf } from "./reply.ts";
import type { HttpError, Interruption, Problem, Reply, Trouble } from "./reply.ts";
import type { RequestEnding } from "./request.ts";

/**
 * Plays one reply to one client. A chunk is written after the previous one was flushed, so a slow client uses no
 * memory. A client that disconnects ends the reply at once. A cut comes after all bytes before it were flushed.
 */
export async function play(reply: Reply, to: Audience): Promise<RequestEnding> {
  const { response, signal } = to;
  try {
    if (reply.delayMs !== undefined) await wait(reply.delayMs, undefined, { signal });
    const { trouble } = reply;
    if (trouble?.kind === "http-error") return await answerError(trouble, to);
    if (isInterruption(trouble) && trouble.beforeHeaders === true)
      return await interrupt(trouble.kind, to);
    return to.context.request.stream ? await playStream(reply, to) : await playWhole(reply, to);
  } catch (error) {
    if (signal.aborted) return "client-gone";
    if (response.headersSent) throw error;
    // An invalid status or header.
    const message = `The reply of the script can't be played: ${String(error)}`;
    return await answerError({ status: 500, message }, to);
  }
}

export interface Audience {
  readonly response: ServerResponse;
  readonly provider: Provider;
  readonly context: PlayContext;
  /** Aborted when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

export async function answerError(
  error: Omit<HttpError, "kind">,
  to: Audience,
): Promise<RequestEnding> {
  const { provider, context, response } = to;
  const { body, headers } = provider.error(error, context.ids);
  const { retryAfterSeconds } = error;
  response.writeHead(error.status, {
    "content-type": "application/json",
    ...headers,
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    ...error.headers,
  });
  const sent = error.body ?? body;
  return await finish(response, typeof sent === "string" ? sent : JSON.stringify(sent));
}

async function playStream(reply: Reply, to: Audience): Promise<RequestEnding> {
  const { response, provider, context, signal } = to;
  const stream = provider.stream(playable(reply, to), context);
  response.writeHead(200, { "content-type": provider.streamType, "cache-control": "no-cache" });
  response.flushHeaders();
  let trouble = reply.trouble;
  let pieces = 0;
  for (const frame of stream.frames) {
    if (trouble !== undefined && strikes(trouble, frame, pieces)) {
      if (isInterruption(trouble)) return await interrupt(trouble.kind, to);
      if (trouble.kind === "stream-error")
        return await finish(response, stream.failure(problemOf(trouble)));
      if (trouble.kind === "malformed") await write(response, trouble.text ?? provider.malformed);
      trouble = undefined;
    }
    if (frame.kind === "piece" && pieces > 0 && frame.delayMs > 0)
      await wait(frame.delayMs, undefined, { signal });
    signal.throwIfAborted();
    await write(response, frame.wire);
    if (frame.kind === "piece") pieces += 1;
  }
  return await finish(response, "");
}

/** A response without a stream has no chunks, so trouble occurs in the middle of the body. */
async function playWhole(reply: Reply, to: Audience): Promise<RequestEnding> {
  const { response, provider, context } = to;
  const { trouble } = reply;
  if (trouble?.kind === "stream-error") return answerError(problemOf(trouble), to);
  const body = JSON.stringify(provider.whole(playable(reply, to), context));
  response.writeHead(200, { "content-type": "application/json" });
  const half = body.slice(0, Math.floor(body.length / 2));
  if (isInterruption(trouble)) {
    await write(response, half);
    return await interrupt(trouble.kind, to);
  }
  return await finish(response, trouble?.kind === "malformed" ? (trouble.text ?? half) : body);
}

function playable(reply: Reply, { provider, context }: Audience) {
  return playableOf(reply, () => provider.toolCallId(context.ids));
}

function isInterruption(trouble: Trouble | undefined): trouble is Interruption {
  return trouble?.kind === "cut" || trouble?.kind === "hang";
}

function strikes(trouble: Trouble, frame: Frame, pieces: number): boolean {
  if (trouble.kind === "http-error") return false;
  return frame.kind === "end" || pieces === trouble.afterChunks;
}

function problemOf(trouble: Partial<Problem>): Problem {
  return { ...trouble, status: trouble.status ?? 529 };
}

async function interrupt(
  kind: "cut" | "hang",
  { response, signal }: Audience,
): Promise<RequestEnding> {
  if (kind === "hang") return await whenGone(signal);
  response.destroy();
  return "cut";
}

export function whenGone(signal: AbortSignal): Promise<"client-gone"> {
  return new Promise((resolve) => {
    const gone = () => resolve("client-gone");
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
  });
}

function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function finish(response: ServerResponse, text: string): Promise<RequestEnding> {
  return new Promise((resolve) => {
    response.once("close", () => resolve("client-gone"));
    response.end(text, () => resolve("answered"));
  });
}
