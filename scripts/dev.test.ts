import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lives } from "../packages/system/test/live-processes.ts";

const root = path.join(import.meta.dirname, "..");
let folder: string;

beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(tmpdir(), "landline-dev-"));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

/** Skips the output of Vite. */
async function firstUrl(output: Readable): Promise<URL> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith("http://")) return new URL(line);
  }
  throw new Error("The program exited without printing an address.");
}

test("serves the page from source with a gateway behind it, and both end together", async () => {
  const script = path.join(root, "scripts/dev.ts");
  const args = ["--conditions=@landline/source", script, "--port", "0", "--data", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const url = await firstUrl(child.stdout);
  const token = new URLSearchParams(url.hash.slice(1)).get("token") ?? "";
  const page = await fetch(new URL("/", url));
  expect(await page.text()).toContain("src/main.tsx");
  const headers = { authorization: `Bearer ${token}`, origin: url.origin };
  const me = await fetch(new URL("/api/me", url), { headers });
  expect(await me.json()).toMatchObject({ role: "admin" });
  const socket = new WebSocket(new URL("/ws", url.href.replace("http", "ws")), [
    "landline.v1",
    `token.${token}`,
  ]);
  await once(socket, "open");
  expect(socket.protocol).toBe("landline.v1");
  socket.close();
  const pid = await gatewayPid();
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test.each([
  ["that serves the page", ["--conditions=@landline/source", "scripts/dev.ts"]],
  ["behind `npm run dev`", ["scripts/run.cjs", "dev"]],
])("SIGKILL of the program %s shuts down the gateway cleanly", async (_which, program) => {
  const args = [...program, "--port", "0", "--data", folder];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  await firstUrl(child.stdout);
  const pid = await gatewayPid();
  await killed(child);
  await expect.poll(() => lives(pid)).toBe(false);
  // A gateway that was killed would have left it.
  await expect(fs.access(path.join(folder, "gateway.json"))).rejects.toThrow("ENOENT");
});

async function gatewayPid(): Promise<number> {
  const text = await fs.readFile(path.join(folder, "gateway.json"), "utf8");
  return (JSON.parse(text) as { pid: number }).pid;
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
}
