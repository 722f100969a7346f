import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, type JsonObject } from "./json.ts";

const bodyBytesMax = 64 * 1024 * 1024;

/** One request with its body, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly url: URL;
  readonly body: string;
}

/** Throws if the path or the body is invalid. */
export async function receive(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Exchange> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  return { request, response, method: request.method ?? "GET", url, body: await readBody(request) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error(`the body is larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
