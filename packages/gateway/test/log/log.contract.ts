import { fc, test as property } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limitsOf } from "@landline/protocol";
import type { LogOptions } from "../../src/log/event-log.ts";
import type { EventDraft, LogChunk, Logs, SessionLog, TailSink } from "../../src/log/log.ts";

const session = "0192f000-0000-7000-8000-000000000001";

export function update(text: string): EventDraft {
  return {
    kind: "update",
    raw: JSON.stringify({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
  };
}

export function linesOf(chunks: readonly LogChunk[]): { seq: number; [field: string]: unknown }[] {
  return Buffer.concat(chunks.map((chunk) => chunk.bytes))
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { seq: number });
}

export async function readAll(log: SessionLog, after = 0): Promise<ReturnType<typeof linesOf>> {
  const chunks: LogChunk[] = [];
  for await (const chunk of log.read(after)) chunks.push(chunk);
  return linesOf(chunks);
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);
const numbers = (events: readonly { seq: number }[]) => events.map((event) => event.seq);

/** A sink that is full after every `burst` chunks until the test resumes its tail. */
export class CountingSink implements TailSink {
  readonly chunks: LogChunk[] = [];
  readonly #burst: number;
  #changed = Promise.withResolvers<void>();
  ended: { error?: Error } | null = null;

  constructor(burst = Number.POSITIVE_INFINITY) {
    this.#burst = burst;
  }

  write(chunk: LogChunk): boolean {
    this.chunks.push(chunk);
    this.#tell();
    return this.chunks.length % this.#burst !== 0;
  }

  end(error?: Error): void {
    this.ended = error ? { error } : {};
    this.#tell();
  }

  get last(): number {
    return this.chunks.at(-1)?.last ?? 0;
  }

  async until(reached: () => boolean): Promise<void> {
    while (!reached()) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Tests the guarantees of `log.ts`. Every implementation runs all of it. */
export function logContract(
  open: (options: LogOptions) => Promise<{ logs: Logs; dispose(): Promise<void> }>,
): void {
  const small = limitsOf("default", {
    segmentBytes: 2_000,
    readBytes: 700,
    indexEvents: 4,
    pageEvents: 50,
    pageBytes: 3_000,
    clientUnsentBytes: 1_000,
    syncDelayMs: 5,
  });

  for (const durability of ["process", "disk"] as const) {
    describe(`with durability ${durability}`, () => {
      let logs: Logs;
      let log: SessionLog;
      let dispose: () => Promise<void>;

      beforeEach(async () => {
        const opened = await open({ durability, limits: small });
        logs = opened.logs;
        dispose = () => opened.dispose();
        log = await logs.create(session);
      });
      afterEach(() => dispose());

      /** With durability "disk", events become visible when they are durable. */
      const shown = () => log.whenDurable(log.head);

      test("sequence numbers start at 1 and have no gaps, for batches of any size", async () => {
        expect(log.head).toBe(0);
        let next = 1;
        for (const size of [1, 3, 1, 40, 2]) {
          const chunk = log.append(upTo(size).map((at) => update(`${at}`)));
          expect([chunk.first, chunk.last]).toEqual([next, next + size - 1]);
          next += size;
        }
        await shown();
        expect(numbers(await readAll(log))).toEqual(upTo(47));
      });

      test("an event is one line that starts with seq, at and kind; an update keeps the agent's own text", async () => {
        const raw = '{"sessionUpdate":"x", "big": 12345678901234567890, "odd":1.0}';
        const chunk = log.append([
          { kind: "session-closed", by: "me" },
          { kind: "update", raw, child: 'a"b' },
        ]);
        const [first, second] = chunk.bytes.toString().split("\n");
        expect(first).toMatch(/^\{"seq":1,"at":\d+,"kind":"session-closed","by":"me"\}$/);
        expect(second).toMatch(/^\{"seq":2,"at":\d+,"kind":"update","child":"a\\"b","update":/);
        expect(second).toContain(`"update":${raw}}`);
      });

      test("rejects an empty batch and a batch with a line break, and appends nothing", () => {
        expect(() => log.append([])).toThrow("at least one event");
        expect(() => log.append([update("a"), { kind: "update", raw: '{"a":\n1}' }])).toThrow(
          "line break",
        );
        expect(log.head).toBe(0);
        expect(log.append([update("b")]).first).toBe(1);
      });

      test("a read starts after any cursor and ends at the head at the time of the call", async () => {
        log.append(upTo(60).map((at) => update(`${at}`)));
        await shown();
        for (const after of [0, 1, 29, 59, 60]) {
          expect(numbers(await readAll(log, after))).toEqual(upTo(60 - after, after + 1));
        }
        await expect(readAll(log, 61)).rejects.toMatchObject({ code: "cursor-ahead" });
        await expect(readAll(log, -1)).rejects.toMatchObject({ code: "invalid-params" });
        await expect(readAll(log, 0.5)).rejects.toMatchObject({ code: "invalid-params" });
      });

      test("an event longer than one read is returned whole", async () => {
        log.append([update("a"), update("long ".repeat(1_000)), update("b")]);
        await shown();
        const events = await readAll(log);
        expect(numbers(events)).toEqual([1, 2, 3]);
        expect(JSON.stringify(events[1])).toContain("long ".repeat(1_000));
      });

      test("pages go backwards, with the newest event last", async () => {
        expect(await log.page(1, 10)).toBeNull();
        for (const at of upTo(95)) log.append([update(`${at}`)]);
        await shown();
        const seen: number[] = [];
        for (let before = log.head + 1; before > 1;) {
          const page = await log.page(before, 10);
          expect(page?.last).toBe(before - 1);
          seen.unshift(...numbers(linesOf([page!])));
          before = page!.first;
        }
        expect(seen).toEqual(upTo(95));
        expect((await log.page(1_000_000, 5))?.last).toBe(95);
        expect(linesOf([(await log.page(96, 10_000))!]).length).toBeLessThanOrEqual(50);
      });

      test("a page of large events has fewer events but at least one", async () => {
        for (const at of upTo(10)) log.append([update(`${at}`.repeat(1_500))]);
        await shown();
        const page = await log.page(11, 10);
        expect(page?.last).toBe(10);
        expect(page!.first).toBeGreaterThan(5);
      });

      test("a tail reads existing events and follows new ones, without gaps or duplicates", async () => {
        log.append(upTo(30).map((at) => update(`${at}`)));
        await shown();
        const sink = new CountingSink();
        using tail = log.tail(12, sink);
        for (const at of upTo(200)) {
          log.append([update(`${at}`)]);
          if (at % 20 === 0) await Promise.resolve();
        }
        await sink.until(() => sink.last === 230);
        expect(numbers(linesOf(sink.chunks))).toEqual(upTo(218, 13));
        expect(tail.cursor).toBe(230);
      });

      test("a tail at the head receives the same chunk object that was appended", async () => {
        const sink = new CountingSink();
        using _tail = log.tail(0, sink);
        const chunk = log.append([update("a"), update("b")]);
        await sink.until(() => sink.last === 2);
        expect(sink.chunks[0]).toBe(chunk);
      });

      test("a tail that was paused at the head resumes there, not where it last read", async () => {
        log.append([update("1")]);
        const sink = new CountingSink(1);
        using tail = log.tail(0, sink);
        await sink.until(() => sink.last === 1);
        tail.resume();
        log.append([update("2")]);
        await sink.until(() => sink.last === 2);
        log.append([update("3")]);
        tail.resume();
        await sink.until(() => sink.last === 3);
        expect(numbers(linesOf(sink.chunks))).toEqual([1, 2, 3]);
      });

      test("a full sink pauses its own tail and no other", async () => {
        const slow = new CountingSink(1);
        const fast = new CountingSink();
        using held = log.tail(0, slow);
        using _live = log.tail(0, fast);
        for (const at of upTo(100)) log.append([update(`${at}`)]);
        await fast.until(() => fast.last === 100);
        expect(slow.last).toBeLessThan(100);
        while (slow.last < 100) {
          const before = slow.last;
          held.resume();
          await slow.until(() => slow.last > before);
        }
        expect(numbers(linesOf(slow.chunks))).toEqual(upTo(100));
      });

      test("a sink that appends from within write still receives every event once", async () => {
        const sink = new CountingSink();
        let answered = 0;
        using _answering = log.tail(0, {
          write: () => {
            if (answered++ < 5) log.append([update("answer")]);
            return true;
          },
          end: () => {},
        });
        using _watching = log.tail(0, sink);
        log.append([update("question")]);
        await sink.until(() => sink.last === 6);
        expect(numbers(linesOf(sink.chunks))).toEqual(upTo(6));
      });

      test("a sink that throws ends its own tail only", async () => {
        let problem: Error | undefined;
        const fine = new CountingSink();
        using _broken = log.tail(0, {
          write: () => {
            throw new Error("broken sink");
          },
          end: (error) => (problem = error),
        });
        using _fine = log.tail(0, fine);
        log.append([update("a")]);
        await fine.until(() => fine.last === 1);
        expect(problem?.message).toBe("broken sink");
        expect(log.append([update("b")]).first).toBe(2);
      });

      test("a disposed tail sends nothing", async () => {
        const sink = new CountingSink();
        const other = new CountingSink();
        log.tail(0, sink)[Symbol.dispose]();
        using _other = log.tail(0, other);
        log.append([update("a")]);
        await other.until(() => other.last === 1);
        expect(sink.chunks).toEqual([]);
        expect(sink.ended).toBeNull();
      });

      test("rejects a cursor beyond the head with an error message", () => {
        expect(() => log.tail(1, new CountingSink())).toThrow(
          expect.objectContaining({ code: "cursor-ahead" }),
        );
      });

      test("an appended event is visible at once, or with durability disk when it is durable", async () => {
        log.append([update("1")]);
        expect(log.visible).toBe(durability === "disk" ? 0 : 1);
        const isRead = await log.read(0)[Symbol.asyncIterator]().next();
        expect(isRead.done).toBe(durability === "disk");
        await shown();
        expect(log.visible).toBe(1);
      });

      test("durable follows the head", async () => {
        expect(log.durable).toBe(0);
        log.append(upTo(7).map((at) => update(`${at}`)));
        await log.whenDurable(7);
        expect(log.durable).toBe(7);
        await log.whenDurable(3);
      });

      test("a string too long for a line is stored once, as a blob", async () => {
        const long = 'ä\\"\n'.repeat(70_000);
        const raw = JSON.stringify({
          sessionUpdate: "tool_call_update",
          [`k"${"y".repeat(300_000)}`]: 1,
          a: long,
          list: ["short", long],
        });
        log.append([
          { kind: "update", raw },
          { kind: "agent-exited", code: 1, signal: null, stderr: long },
        ]);
        await shown();
        const [event, exited] = (await readAll(log)) as [
          { seq: 1; update: Record<string, unknown> },
          { seq: 2; stderr: { $blob: string; bytes: number } },
        ];
        const reference = event.update["a"] as { $blob: string; bytes: number };
        expect(reference).toEqual({
          $blob: expect.stringMatching(/^[0-9a-f]{64}$/),
          bytes: Buffer.byteLength(long),
        });
        expect(event.update["list"]).toEqual(["short", reference]);
        expect(exited.stderr).toEqual(reference);
        expect(Object.keys(event.update)).toContain(`k"${"y".repeat(300_000)}`);
        expect((await log.blob(reference.$blob))?.toString()).toBe(long);
        expect(await log.blob("../../etc/passwd")).toBeNull();
        expect(await log.blob("0".repeat(64))).toBeNull();
      });

      test("lists, opens and deletes sessions independently, and rejects invalid ids", async () => {
        const other = await logs.create("other-session");
        log.append([update("mine")]);
        other.append([update("theirs"), update("theirs")]);
        await other.whenDurable(2);
        expect(await logs.list()).toEqual([session, "other-session"].sort());
        expect(await logs.open(session)).toBe(log);
        await expect(logs.create(session)).rejects.toMatchObject({ code: "session-locked" });
        await expect(logs.open("nobody")).rejects.toMatchObject({ code: "session-not-found" });
        for (const hostile of ["..", ".", "", "a/b", "a\0b", "../x", ".hidden", "x".repeat(129)]) {
          await expect(logs.open(hostile)).rejects.toMatchObject({ code: "session-not-found" });
          await expect(logs.create(hostile)).rejects.toMatchObject({ code: "invalid-params" });
          await expect(logs.delete(hostile)).rejects.toMatchObject({ code: "session-not-found" });
        }
        const sink = new CountingSink();
        log.tail(0, sink);
        await logs.delete(session);
        expect(sink.ended).toEqual({});
        expect(() => log.append([update("late")])).toThrow(
          expect.objectContaining({ code: "session-closed" }),
        );
        await expect(logs.open(session)).rejects.toMatchObject({ code: "session-not-found" });
        expect(numbers(await readAll(other))).toEqual([1, 2]);
        const again = await logs.create(session);
        expect(again.head).toBe(0);
      });

      test("reports sizes and last write times for retention", async () => {
        log.append([update("x".repeat(500))]);
        const [size] = await logs.sizes();
        expect(size?.sessionId).toBe(session);
        expect(size?.bytes).toBeGreaterThan(500);
        expect(Math.abs((size?.lastAt ?? 0) - Date.now())).toBeLessThan(60_000);
      });

      test("close ends tails, keeps all events and is idempotent", async () => {
        log.append([update("a")]);
        const sink = new CountingSink();
        log.tail(0, sink);
        await logs.close();
        await logs.close();
        expect(sink.ended).toEqual({});
        expect(log.durable).toBe(1);
        expect(() => log.append([update("late")])).toThrow("closed");
        await expect(logs.open(session)).rejects.toThrow("closed");
      });

      property.prop(
        [
          fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }),
          fc.array(fc.nat(200), { maxLength: 8 }),
        ],
        { numRuns: 25 },
      )(
        "a reader that stops and resumes at any cursor receives each event once",
        async (batches, stops) => {
          const id = crypto.randomUUID();
          const own = await logs.create(id);
          const seen: number[] = [];
          const cuts = stops.sort((a, b) => a - b);
          const total = batches.reduce((sum, size) => sum + size, 0);
          let sink = new CountingSink(2);
          let tail = own.tail(0, sink);
          for (const size of batches) {
            own.append(upTo(size).map((at) => update(`${at}`)));
            if (cuts.length > 0 && own.head > cuts[0]!) {
              cuts.shift();
              tail[Symbol.dispose]();
              seen.push(...numbers(linesOf(sink.chunks)));
              sink = new CountingSink(2);
              tail = own.tail(tail.cursor, sink);
            }
            await Promise.resolve();
          }
          while (tail.cursor < total) {
            const before = tail.cursor;
            tail.resume();
            await sink.until(() => tail.cursor > before);
          }
          tail[Symbol.dispose]();
          seen.push(...numbers(linesOf(sink.chunks)));
          expect(seen).toEqual(upTo(total));
          await logs.delete(id);
        },
      );
    });
  }
}
