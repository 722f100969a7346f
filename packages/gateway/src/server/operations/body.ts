import { LandlineError, type Limits } from "@landline/protocol";
import type { ServerRequest } from "../context.ts";

type BodyLimits = Pick<Limits, "bodyBytes" | "bodyDepth">;

/**
 * Reads the JSON object of the body within `bodyBytes` and `bodyDepth`; an empty one if the body is empty and optional.
 */
export async function jsonBody(
  request: ServerRequest,
  limits: BodyLimits,
  isNeeded: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await bodyText(request, limits.bodyBytes);
  if (text === "" && !isNeeded) return {};
  const value = parsedBody(text, limits.bodyDepth);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new LandlineError("invalid-params", { message: "The body must be an object." });
}

/** Throws `parse-error`, and `invalid-params` for a value that is nested too deeply. */
export function parsedBody(text: string, bodyDepth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LandlineError("parse-error", {
      message: "The body is not valid JSON.",
      help: "Send one JSON object as the body, encoded as UTF-8.",
    });
  }
  if (!isDeeper(value, bodyDepth)) return value;
  throw new LandlineError("invalid-params", {
    message: `The body is nested more than ${bodyDepth} levels deep.`,
  });
}

/** Throws `message-too-large`, and `parse-error` for text that is not UTF-8. */
export async function bodyText(request: ServerRequest, most: number): Promise<string> {
  const declared = Number(request.req.header("content-length") ?? 0);
  if (declared > most) throw tooLarge(most);
  const { body } = request.req.raw;
  if (!body) return "";
  const bytes = await read(body, most);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LandlineError("parse-error", { message: "The body is not valid UTF-8." });
  }
}

async function read(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > most) throw tooLarge(most);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof LandlineError) throw error;
    // The client disconnected, so nobody reads the response.
    throw new LandlineError("request-cancelled", { cause: error });
  }
  return Buffer.concat(pieces);
}

function tooLarge(most: number): LandlineError {
  return new LandlineError("message-too-large", {
    message: `The body is larger than ${most} bytes.`,
    data: { limit: "bodyBytes", bytes: most },
  });
}

/** Later code may recurse once per level. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
