/** Maximum models of one server. The rest is omitted. */
const modelsMax = 100;
/** Maximum size of a response. A larger one counts as none. */
const answerBytesMax = 4 * 1_024 * 1_024;

/**
 * Sends a request and returns the JSON response; undefined when it is late, too long, an error or not JSON.
 */
export type Query = (path: string, body?: unknown) => Promise<unknown>;

export function queryServer(origin: string, signal: AbortSignal): Query {
  return async (path, body) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        signal,
        // A redirect might lead to another machine.
        redirect: "error",
        ...(body === undefined
          ? {}
          : {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body),
            }),
      });
      const text = await boundedText(response);
      return response.ok && text !== undefined ? JSON.parse(text) : undefined;
    } catch {
      return undefined;
    }
  };
}

async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The fields of an untrusted value; empty when it is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The objects of a list, up to the limit; undefined when it is not a list. */
export function objectsOf(value: unknown): Record<string, unknown>[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as unknown[])
    .filter((each) => typeof each === "object" && each !== null)
    .slice(0, modelsMax)
    .map(fieldsOf);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
