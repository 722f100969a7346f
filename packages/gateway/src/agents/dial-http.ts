import { Duplex } from "node:stream";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import type { DialTarget } from "./dial-web-socket.ts";

/** An agent that speaks ACP over Streamable HTTP. The first request, `initialize`, connects. */
export function dialHttp({ url, token, limits }: DialTarget): Duplex {
  return new HttpLines(url, token, limits.lineBytes);
}

/** The messages of Streamable HTTP as lines. While they are not read, the event streams are not read either. */
class HttpLines extends Duplex {
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>;
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  #isReading = false;
  /** Resolves when the stream wants more. */
  #wanted = Promise.resolve();
  #want = (): void => undefined;

  constructor(url: string, token: string | undefined, maxMessageBytes: number) {
    super({ decodeStrings: false });
    const { readable, writable } = createHttpStream(url, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      maxMessageBytes,
      fetch: async (input, init) =>
        this.#slowed(await fetch(input, { ...init, redirect: "error" })),
    });
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    // The reader reports it.
    this.#writer.closed.catch(() => undefined);
  }

  override _read(): void {
    this.#want();
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#pass();
  }

  override _write(
    line: string | Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    const text = typeof line === "string" ? line : Buffer.from(line).toString();
    void settle(this.#writer.write(JSON.parse(text) as AnyMessage), done);
  }

  override _final(done: () => void): void {
    void settle(this.#writer.close(), () => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#want();
    void settle(this.#writer.abort(), () => done(error));
  }

  async #pass(): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        if (this.push(`${JSON.stringify(value)}\n`)) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wanted = promise;
        this.#want = resolve;
        await promise;
      }
      this.push(null);
      this.end();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** The SDK reads events as fast as they come, and keeps them. */
  #slowed(response: Response): Response {
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
      return response;
    const gate = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        await this.#wanted;
        controller.enqueue(chunk);
      },
    });
    const body = response.body?.pipeThrough(gate) ?? null;
    const { headers, status, statusText } = response;
    return new Response(body, { headers, status, statusText });
  }
}

async function settle(work: Promise<unknown>, done: (error?: Error | null) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
