import { expect, it, vi } from "vitest";
import { toolContext } from "../../test/config/tool-context.ts";
import { call, open, program, remote, toolOf } from "../../test/mcp/servers.ts";

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

it("explains what to do about a server that cannot start, and never shows its secrets", async () => {
  const env = [{ name: "LIB", value: "libfoo" }];
  await using servers = open([
    { name: "none", command: "no-such-program", args: [], env: [] },
    program("broken", { env }),
    remote("http://127.0.0.1:9/mcp"),
    remote("nonsense"),
  ]);
  await servers.ready();
  expect(servers.tools()).toEqual([]);
  expect(servers.status()).toMatchObject([
    {
      state: "failed",
      problem: `The program "no-such-program" was not found. Install it, or correct \`command\`.`,
    },
    {
      state: "failed",
      problem: expect.stringMatching(
        /ended \(code 1\) before it answered.*The library ••• is missing/,
      ),
    },
    { state: "failed", problem: expect.stringContaining("http://127.0.0.1:9") },
    { state: "failed", problem: `"nonsense" is not a valid URL. Correct \`url\`.` },
  ]);
});

it("does not wait for a server that hangs, and ends it", async () => {
  const servers = open(
    [program("hanging", { _meta: { "landline/connectMs": 60_000 } }), program("tools")],
    {
      limits: { readyMs: 1_000 },
    },
  );
  await servers.ready();
  expect(servers.status()[0]).toMatchObject({ name: "hanging", state: "connecting" });
  await expect.poll(() => servers.status()[1]?.state).toBe("ready");
  await servers.close();
  expect(servers.status().map((status) => status.state)).toEqual(["closed", "closed"]);
});

it("fails a server that hangs, after its own timeout", async () => {
  await using servers = open([program("hanging", { _meta: { "landline/connectMs": 300 } })]);
  await servers.ready();
  expect(servers.status()).toMatchObject([
    { state: "failed", problem: expect.stringContaining("did not answer within 0.3 s") },
  ]);
});

it("fails the call in which a server dies, and starts it again on the next use", async () => {
  await using servers = open([program("tools")]);
  await servers.ready();
  const changes = vi.fn();
  servers.onChange(changes);
  await expect(call(servers, "tools_die")).rejects.toMatchObject({
    reason: "mcp-server-unavailable",
    message: expect.stringContaining("may or may not have had its effect"),
  });
  await expect.poll(() => servers.status()).toMatchObject([{ state: "failed" }]);
  expect(servers.status()[0]?.problem).toContain("The server ended (code 7)");
  expect(changes).toHaveBeenCalled();
  await expect(call(servers, "tools_echo", { text: "back" })).resolves.toMatchObject({
    output: "back",
  });
  expect(servers.status()).toMatchObject([{ state: "ready" }]);
});

it("ends a server and its child processes", async () => {
  const servers = open([program("tools")]);
  await servers.ready();
  const { pid } = JSON.parse((await call(servers, "tools_where")).output) as { pid: number };
  const child = Number((await call(servers, "tools_child")).output);
  expect([isGone(pid), isGone(child)]).toEqual([false, false]);
  await servers.close();
  await expect.poll(() => [isGone(pid), isGone(child)]).toEqual([true, true]);
  expect(servers.tools()).toEqual([]);
});

it("a tool from before the close does not restart the server", async () => {
  const servers = open([program("tools")]);
  await servers.ready();
  const echo = toolOf(servers, "tools_echo");
  await servers.close();
  await expect(echo.run({ text: "x" }, toolContext())).rejects.toMatchObject({
    reason: "mcp-server-unavailable",
  });
});

it("speaks to a server that supports only the newest protocol", async () => {
  await using servers = open([program("modern")]);
  await servers.ready();
  expect(servers.status()).toMatchObject([{ state: "ready" }]);
  await expect(call(servers, "modern_echo", { text: "new" })).resolves.toMatchObject({
    output: "new",
  });
});

it("keeps servers with the same name apart", async () => {
  await using servers = open([program("changing"), program("changing")]);
  await servers.ready();
  expect(servers.tools().map((tool) => tool.name)).toEqual(["changing_grow", "changing-2_grow"]);
});
