import { beforeEach, describe, expect, test } from "vitest";
import { SlowSocket } from "../../test/doors/slow-socket.ts";
import { Outlet } from "./outlet.ts";

let socket: SlowSocket;
let isOpen: boolean;
let outlet: Outlet;

beforeEach(() => {
  socket = new SlowSocket();
  isOpen = true;
  outlet = new Outlet(socket, 100, () => isOpen);
});

const bytes = (length: number) => Buffer.alloc(length);

describe("room", () => {
  test("is offered when half has drained, and not before", async () => {
    const resumed: string[] = [];
    outlet.send(bytes(60));
    outlet.send(bytes(60));
    expect(outlet.isFull).toBe(true);
    outlet.await({
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

  test("goes to one at a time, as long as each will send something", async () => {
    const resumed: string[] = [];
    const waiter = (name: string, answer: "will-send" | "done") => ({
      resume: () => {
        resumed.push(name);
        return answer;
      },
    });
    outlet.send(bytes(101));
    for (const name of ["one", "two"]) outlet.await(waiter(name, "will-send"));
    outlet.await(waiter("three", "done"));
    outlet.await(waiter("four", "will-send"));
    await socket.accept();
    expect(resumed).toEqual(["one"]);
    outlet.send(bytes(10));
    await socket.accept();
    expect(resumed).toEqual(["one", "two"]);
    // The second had nothing after all, and says so.
    outlet.offerRoom();
    expect(resumed).toEqual(["one", "two", "three", "four"]);
  });

  test("is not offered to who has gone, nor after the end", async () => {
    const gone = { resume: () => expect.unreachable("it has gone") };
    outlet.send(bytes(101));
    outlet.await(gone);
    outlet.forget(gone);
    await socket.accept();
    outlet.send(bytes(101));
    outlet.await(gone);
    isOpen = false;
    await socket.accept();
    expect(socket.writableLength).toBe(0);
  });
});

describe("sending", () => {
  test("is over when the closing has begun", () => {
    isOpen = false;
    outlet.send(bytes(1));
    expect(socket.taken).toEqual([]);
  });

  test("tells whether anything was said, and whether what was stuck has moved", async () => {
    expect(outlet.takeActivity()).toEqual({ said: false, moved: false });
    outlet.send(bytes(10));
    await socket.accept();
    // It left at once: that says nothing about the other end.
    expect(outlet.takeActivity()).toEqual({ said: true, moved: false });
    outlet.send(bytes(10));
    outlet.send(bytes(10));
    await socket.accept();
    expect(outlet.takeActivity()).toEqual({ said: true, moved: true });
  });
});
