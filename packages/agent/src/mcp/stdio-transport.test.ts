import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { tmpdir } from "node:os";
import { expect, it, onTestFinished, vi } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";

/** A program that runs the given script. */
function start(script: string) {
  const transport = new StdioTransport({
    command: process.execPath,
    args: ["-e", script],
    env: process.env as Record<string, string>,
    cwd: tmpdir(),
  });
  const messages: JSONRPCMessage[] = [];
  const errors: string[] = [];
  const { promise: closed, resolve: onclose } = Promise.withResolvers<void>();
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => void messages.push(message),
    onerror: (error: Error) => void errors.push(error.message),
    onclose,
  });
  return { transport, messages, errors, closed };
}

const line = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

it("skips lines that are not messages and keeps the order of the rest, however they were split", async () => {
  const notification = '{"jsonrpc":"2.0","method":"notifications/message"}';
  const text = [line(1), "noise", notification, '{"not":"rpc"}', line(2), "", line(3)].join("\n");
  const cut = Math.floor(text.length / 2);
  const { transport, messages, errors, closed } = start(`
    process.stdout.write(${JSON.stringify(text.slice(0, cut))});
    setTimeout(() => process.stdout.write(${JSON.stringify(`${text.slice(cut)}\n`)}), 50);
  `);
  await transport.start();
  await closed;
  expect(messages.map((message) => ("id" in message ? message.id : "notification"))).toEqual([
    1,
    "notification",
    2,
    3,
  ]);
  expect(errors).toHaveLength(2);
  expect(transport.exit).toBe("code 0");
});

it("delivers the last messages of a program before its exit", async () => {
  const { transport, messages, closed } = start(
    `process.stdout.write('${line(9)}\\n', () => process.exit(4))`,
  );
  await transport.start();
  await closed;
  expect([messages.length, transport.exit]).toEqual([1, "code 4"]);
  await expect(transport.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow(
    "The server has ended",
  );
});

it("ends a program that sends an endless message, and one that ignores signals", async () => {
  const flood = start(
    `const part = "x".repeat(1 << 20); const send = () => process.stdout.write(part, send); send();`,
  );
  await flood.transport.start();
  await flood.closed;
  expect(flood.errors).toEqual([expect.stringContaining("a message is longer than")]);

  const deaf = start(
    `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.error("up");`,
  );
  await deaf.transport.start();
  await expect.poll(() => deaf.transport.printed).toBe("up");
  await deaf.transport.close();
  await expect.poll(() => deaf.transport.exit).toBe("signal SIGKILL");
});

it.skipIf(process.platform === "win32")(
  "sends no signal to a server that has ended, because its pid may be reused",
  async () => {
    const { transport, closed } = start("process.exit(3)");
    const sent: (string | number)[] = [];
    const kill = vi.spyOn(process, "kill").mockImplementation((_pid, signal = "SIGTERM") => {
      // Every pid counts as in use.
      if (signal !== 0) sent.push(signal);
      return true;
    });
    onTestFinished(() => kill.mockRestore());
    await transport.start();
    await closed;
    await transport.close();
    expect([transport.exit, sent]).toEqual(["code 3", []]);
  },
);

it("fails to start a program that does not exist", async () => {
  const transport = new StdioTransport({
    command: "no-such-program",
    args: [],
    env: {},
    cwd: tmpdir(),
  });
  await expect(transport.start()).rejects.toThrow("ENOENT");
  await transport.close();
});
