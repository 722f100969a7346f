/** Models of one server on this machine. The rest is not listed. */
const modelsMax = 100;
/** An answer of a server on this machine to a question about itself. A longer one counts as none. */
const answerBytesMax = 4 * 1_024 * 1_024;

/** Questions to one server. An answer that is late, too long, an error or no JSON is undefined. */
export type Ask = (path: string, body?: unknown) => Promise<unknown>;

export function asker(origin: string, signal: AbortSignal): Ask {
  return async (path, body) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        signal,
        // A redirect leads away from the machine that we mean to ask.
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

/** The fields of an object; none when it is none. What a stranger sent is looked at through these alone. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The objects of a list, bounded; undefined when it is no list. */
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
