import { beforeEach, describe, expect, test } from "vitest";
import { SlowSocket } from "../../test/server/slow-socket.ts";
import { FrameWriter } from "./frame-writer.ts";

let socket: SlowSocket;
let isOpen: boolean;
let writer: FrameWriter;

beforeEach(() => {
  socket = new SlowSocket();
  isOpen = true;
  writer = new FrameWriter(socket, 100, () => isOpen);
});

const bytes = (length: number) => Buffer.alloc(length);

describe("waiting for space", () => {
  test("resumes when half has drained, and not before", async () => {
    const resumed: string[] = [];
    writer.send(bytes(60));
    writer.send(bytes(60));
    expect(writer.isFull).toBe(true);
    writer.await({
      resume: () => {
        resumed.push("one");
        return "done";
      },
    });
    await socket.accept();
    expect(socket.writableLength).toBe(60);
    expect(resumed).toEqual([]);
    await socket.accept();
    expect(resumed).toEqual(["one"]);
  });

  test("serves one waiter at a time, as long as each sends something", async () => {
    const resumed: string[] = [];
    const waiter = (name: string, answer: "will-send" | "done") => ({
      resume: () => {
        resumed.push(name);
        return answer;
      },
    });
    const [one, two] = [waiter("one", "will-send"), waiter("two", "will-send")];
    writer.send(bytes(101));
    for (const each of [one, two, waiter("three", "done"), waiter("four", "will-send")]) {
      writer.await(each);
    }
    await socket.accept();
    expect(resumed).toEqual(["one"]);
    // It had its turn, and what it sent fills the socket again.
    writer.send(bytes(60));
    writer.endTurn(one);
    expect(resumed).toEqual(["one"]);
    await socket.accept();
    expect(resumed).toEqual(["one", "two"]);
    // Only the current waiter can end its turn, or leave.
    writer.endTurn(one);
    expect(resumed).toEqual(["one", "two"]);
    writer.forget(two);
    expect(resumed).toEqual(["one", "two", "three", "four"]);
  });

  test("resumes too if other frames filled the socket", async () => {
    const resumed: string[] = [];
    socket.write(bytes(101));
    writer.await({
      resume: () => {
        resumed.push("one");
        return "done";
      },
    });
    await socket.accept();
    expect(resumed).toEqual(["one"]);
  });

  test("does not resume a waiter that has left, nor after the end", async () => {
    const gone = { resume: () => expect.unreachable("it has gone") };
    writer.send(bytes(101));
    writer.await(gone);
    writer.forget(gone);
    await socket.accept();
    writer.send(bytes(101));
    writer.await(gone);
    isOpen = false;
    await socket.accept();
    expect(socket.writableLength).toBe(0);
  });
});

describe("sending", () => {
  test("waits only for other frames of the same message", async () => {
    writer.join();
    writer.send(bytes(1));
    await Promise.resolve();
    writer.send(bytes(2));
    expect(socket.taken).toEqual([]);
    expect(socket.writableLength).toBe(3);
    await socket.accept();
    await socket.accept();
    expect(Buffer.concat(socket.taken)).toHaveLength(3);
  });

  test("stops when closing has begun", () => {
    isOpen = false;
    writer.send(bytes(1));
    expect(socket.taken).toEqual([]);
  });

  test("reports whether anything was received, and whether unsent data has moved", async () => {
    expect(writer.takeActivity()).toEqual({ said: false, moved: false });
    writer.send(bytes(10));
    await socket.accept();
    // It left at once: that says nothing about the other end.
    expect(writer.takeActivity()).toEqual({ said: true, moved: false });
    writer.send(bytes(10));
    writer.send(bytes(10));
    await socket.accept();
    expect(writer.takeActivity()).toEqual({ said: true, moved: true });
  });
});
