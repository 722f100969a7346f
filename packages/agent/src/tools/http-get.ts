import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { fetchLimits } from "../limits.ts";
import { ToolFailure } from "./tool.ts";

export interface Address {
  address: string;
  family: number;
}

export interface Answer {
  status: number;
  statusText: string;
  /** Lower case, without parameters; empty when the server does not say. */
  mimeType: string;
  charset: string | null;
  /** The redirect target, if any. */
  location: string | null;
  body: Buffer;
}

/**
 * One request to addresses that were checked before: the name is not resolved again, which prevents DNS
 * rebinding. Does not follow redirects. Throws ToolFailure for a body that is too large.
 */
export async function httpGet(
  url: URL,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Answer> {
  const response = await respond(url, addresses, signal);
  try {
    const { statusCode = 0, statusMessage = "", headers } = response;
    const location = [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
    const [, mimeType = ""] = /^\s*([^;\s]+)/.exec(headers["content-type"] ?? "") ?? [];
    const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? null;
    return {
      status: statusCode,
      statusText: statusMessage,
      mimeType: mimeType.toLowerCase(),
      charset,
      location: location ?? null,
      body: location === undefined ? await bodyOf(response) : Buffer.alloc(0),
    };
  } finally {
    response.destroy();
  }
}

async function respond(
  url: URL,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(
    url,
    {
      signal,
      agent: false,
      lookup: lookupAmong(addresses),
      headers: {
        accept:
          "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.5",
        "accept-encoding": "gzip, br, deflate",
        "user-agent": "landline-agent",
      },
    },
    resolve,
  );
  sent.on("error", reject);
  sent.end();
  return promise;
}

function lookupAmong(addresses: readonly Address[]): LookupFunction {
  return (hostname, options, callback) => {
    const [first] = addresses;
    if (!first) return callback(new Error(`${hostname} has no address`), "");
    if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  if (Number(response.headers["content-length"] ?? 0) > fetchLimits.bodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const unpacked = await unpack(response);
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > fetchLimits.bodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function unpack(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding === "identity") return response;
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  const unpackers: Record<string, () => Duplex> = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    br: createBrotliDecompress,
    deflate: createInflate,
  };
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding]?.() : undefined;
  if (!unpacker) {
    throw new ToolFailure(
      "failed",
      `The server uses the content encoding ${encoding}, which is not supported.`,
    );
  }
  const { pipeline } = await import("node:stream");
  // The reader of the decompressor gets the errors.
  pipeline(response, unpacker, () => undefined);
  return unpacker;
}

function tooLarge(): ToolFailure {
  return new ToolFailure(
    "file-too-large",
    `The page is larger than ${fetchLimits.bodyBytes / 1_048_576} MiB. Download it to a file with bash (curl -o), and look at parts of it.`,
  );
}
