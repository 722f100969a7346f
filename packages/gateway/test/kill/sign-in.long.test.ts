import { expect, test } from "vitest";
import { lives } from "../agents/test-agent-host.ts";
import { filesWith, SignInClient } from "../sessions/sign-in-client.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const SECRET = "secret-that-was-typed";

/** Shows its pid and its input, and keeps running. */
const program = `
  process.stdin.on("data", (data) => console.log("typed " + data));
  console.log("pid " + process.pid + ".");`;

async function inTerminal(gateway: GatewayProcess): Promise<{ desk: SignInClient; pid: number }> {
  const url = `http://127.0.0.1:${gateway.network.target}`;
  const desk = await SignInClient.open({ url, token: gateway.token }, "guarded");
  const { terminalId } = await desk.inTerminal("login");
  await desk.sees(terminalId, ".");
  await desk.type(terminalId, `${SECRET}\r`);
  await desk.sees(terminalId, `typed ${SECRET}`);
  return { desk, pid: Number(/pid (\d+)\./.exec(desk.screen(terminalId))?.[1]) };
}

test.each(["SIGTERM", "SIGKILL"] as const)(
  "%s ends a sign-in terminal with the gateway, and its input is stored nowhere",
  async (signal) => {
    const call = { command: process.execPath, args: ["-e", program] };
    const method = { id: "login", name: "Log in", _meta: { "terminal-auth": call } };
    await using gateway = await GatewayProcess.make({
      guarded: { initialize: { authMethods: [method] }, turns: [] },
    });
    await gateway.start();
    const { desk, pid } = await inTerminal(gateway);
    using _desk = desk;
    expect(lives(pid)).toBe(true);
    expect(await gateway.end(signal)).toBe(signal === "SIGTERM" ? 0 : null);
    // Its terminal is gone, and with it the program, which does not resist.
    await until("the program is gone", () => !lives(pid));
    await until("nothing is left", () => gateway.processes().length === 0);
    await gateway.start();
    await gateway.end("SIGTERM");
    expect(gateway.stderr).not.toContain(SECRET);
    expect(await filesWith(gateway.data, SECRET)).toEqual([]);
  },
);
