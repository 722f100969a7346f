import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import * as path from "node:path";
import { connect } from "node:tls";
import { makeCertificate } from "@landline/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, Running } from "./landline.ts";

const root = path.join(import.meta.dirname, "../../..");

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

const health = (url: string, token: string) =>
  fetch(`${url}/api/health`, { headers: { authorization: `Bearer ${token}` } });

/** Another server on a port of this machine. */
async function takePort(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => void (server.close(), await once(server, "close")),
  };
}

async function freePort(): Promise<{ port: number }> {
  await using taken = await takePort();
  return { port: taken.port };
}

/** Processes of this home, by their command line. */
async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.includes(folder)) found.push(pid);
  }
  return found;
}

describe("landline serve", () => {
  it("prints its address as one line of JSON, and where commands find it", async () => {
    const { running, url, token } = await home.serve();
    const [line, ...rest] = running.stdout.split("\n");
    const told = JSON.parse(line ?? "") as Record<string, unknown>;
    expect(rest).toEqual([""]);
    expect(told).toEqual({ url, token, port: Number(new URL(url).port), pid: running.child.pid });
    expect((await health(url, token)).status).toBe(200);
    const socket = path.join(home.data, "gateway.sock");
    expect(await home.gatewayFile()).toEqual({ url, socket, pid: running.child.pid });
    expect((await stat(path.join(home.data, "gateway.json"))).mode & 0o777).toBe(0o600);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "ends on %s with 0, with all agents",
    async (signal) => {
      const { running, url, token } = await home.serve();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ agent: "scripted", cwd: home.folder });
      const opened = await fetch(`${url}/api/sessions`, { method: "POST", headers, body });
      const { sessionId } = (await opened.json()) as { sessionId: string };
      const prompt = JSON.stringify({ content: "wait" });
      await fetch(`${url}/api/sessions/${sessionId}/prompts`, {
        method: "POST",
        headers,
        body: prompt,
      });
      expect(await processesOf(home.folder)).not.toEqual([]);
      running.child.kill(signal);
      expect(await running.ended).toMatchObject({ code: 0 });
      expect(await home.gatewayFile()).toBeNull();
      expect(await processesOf(home.folder)).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "ends with the shell in which npx started it, which gets the signals of npx",
    async () => {
      const words = [process.execPath, path.join(root, "packages/cli/bin/landline.js"), "serve"];
      const shell = spawn("sh", ["-c", '"$0" "$@"; true', ...words, "--json"], {
        cwd: home.folder,
        env: { ...home.environment, npm_lifecycle_event: "npx" },
        stdio: ["pipe", "pipe", "pipe"],
      });
      const running = new Running(shell);
      const { pid } = JSON.parse(await running.printed("stdout", "\n")) as { pid: number };
      try {
        shell.kill("SIGTERM");
        // The gateway has the pipes of the shell.
        await running.ended;
        expect(await home.gatewayFile()).toBeNull();
      } finally {
        spawnSync("kill", ["-9", String(pid)]);
      }
    },
  );

  it("that was killed is not found any more, and the next one takes its place", async () => {
    const first = await home.serve();
    first.running.child.kill("SIGKILL");
    await first.running.ended;
    expect(await home.gatewayFile()).not.toBeNull();
    expect(await home.landline("sessions")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("No gateway is running"),
    });
    const second = await home.serve();
    expect((await health(second.url, first.token)).status).toBe(200);
    expect(await home.landline("sessions", "--json")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("is one per data folder, and the second prints the address of the first", async () => {
    const { url } = await home.serve();
    const second = await home.landline("serve");
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain(`already running for this data folder, at ${url}`);
    expect(second.stderr).toContain("landline token url");
  });

  it("runs an agent from the command line on a given port", async () => {
    const { port } = await freePort();
    const { command, args } = home.agent("mine");
    const agent = `mine=${[command, ...args].map((word) => `'${word}'`).join(" ")}`;
    // Another program may take the port meanwhile.
    const { url, token } = await home.serve(
      "--port",
      String(port),
      "--next-port",
      "--agent",
      agent,
    );
    expect(Number(new URL(url).port)).toBeGreaterThanOrEqual(port);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ agent: "mine", cwd: home.folder });
    const opened = await fetch(`${url}/api/sessions`, { method: "POST", headers, body });
    expect(opened.status).toBe(201);
    expect(await opened.json()).toMatchObject({ agent: "mine" });
  });

  it("on a port in use reports that, or uses the next one", async () => {
    await using taken = await takePort();
    const port = String(taken.port);
    expect(await home.landline("serve", "--port", port)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("another program already listens there"),
    });
    const { url } = await home.serve("--port", port, "--next-port");
    expect(Number(new URL(url).port)).toBeGreaterThan(taken.port);
  });

  it("beyond loopback prints a warning, and all its addresses", async () => {
    const running = home.start(["serve", "--host", "0.0.0.0", "--insecure-lan"]);
    const text = await running.printed("stdout", "Ctrl-C");
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    expect(text).not.toContain("0.0.0.0");
    expect(running.stderr).toContain("can read the token in transit");
    expect((await home.landline("sessions")).code).toBe(0);
  });

  it("with a certificate serves HTTPS, even past loopback, and commands reach it", async () => {
    const { cert, key } = await makeCertificate(home.folder);
    const running = home.start(["serve", "--host", "0.0.0.0", "--cert", cert, "--key", key]);
    const text = await running.printed("stdout", "Ctrl-C");
    expect(text).toMatch(/https:\/\/127\.0\.0\.1:\d+/);
    expect(text).not.toContain("http://");
    expect(running.stderr).not.toContain("in transit");
    expect((await home.landline("sessions")).code).toBe(0);
    expect((await home.landline("token", "url")).stdout).toMatch(/^https:\/\//);
    const { url } = (await home.gatewayFile()) as { url: string };
    const { port } = new URL(url);
    const socket = connect({ host: "127.0.0.1", port: Number(port), ca: await readFile(cert) });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  it("loads a changed certificate on SIGHUP, and goes on", async () => {
    const files = await makeCertificate(home.folder);
    const next = await makeCertificate(home.folder, "next");
    const config = JSON.parse(await readFile(home.path("config.json"), "utf8")) as object;
    // The files are not checked meanwhile.
    const limits = { certificateCheckMs: 3_600_000 };
    await writeFile(home.path("config.json"), JSON.stringify({ ...config, limits }));
    const args = ["--cert", files.cert, "--key", files.key, "--log-level", "info"];
    const { running, url } = await home.serve(...args);
    const port = Number(new URL(url).port);
    const shown = async () => {
      const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    await copyFile(next.cert, files.cert);
    await copyFile(next.key, files.key);
    expect(await shown()).toBe("test");
    running.child.kill("SIGHUP");
    await running.printed("stderr", "loaded again");
    expect(await shown()).toBe("next");
    // It was no request to end: the next one is the first.
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it("is what landline does without a command", async () => {
    const running = home.start(["--json"]);
    expect(JSON.parse(await running.printed("stdout", "\n"))).toMatchObject({
      pid: running.child.pid,
    });
  });

  it("uses a given base path and token", async () => {
    const running = home.start(["serve", "--json", "--base-path", "/line"], {
      LANDLINE_TOKEN: "mine",
    });
    const { url, token } = JSON.parse(await running.printed("stdout", "\n")) as Record<
      "url" | "token",
      string
    >;
    expect(token).toBe("mine");
    expect(url).toMatch(/\/line$/);
    expect((await health(url, "mine")).status).toBe(200);
    expect((await health(url, "other")).status).toBe(401);
    const list = await home.landline("sessions");
    expect(list.code).toBe(0);
  });

  it.each([
    [["--host", "0.0.0.0"], /everybody on the network[^]*--insecure-lan/],
    [["--port", "many"], /--port: it must be a whole number/],
    [["--cert", "missing.pem", "--key", "missing.key"], /missing\.pem: there is no such file/],
    [["--cert", "missing.pem"], /A certificate needs a key: --key/],
    [["--limits", "none"], /Allowed choices are default, spec/],
    [["--agent", "nonsense"], /has no "="/],
    [["--prot", "1"], /unknown option '--prot'[^]*--port/],
  ])("with %j does not start, and exits with 2", async (args, reason) => {
    const ended = await home.landline("serve", ...args);
    expect(ended).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(reason) });
  });

  it("with an invalid config names file and field, and exits with 2", async () => {
    await writeFile(home.path("config.json"), '{"agent":[]}');
    const ended = await home.landline("serve");
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(
      `${home.path("config.json")}: unknown field "agent". Did you mean "agents"?`,
    );
  });
});

describe("serve --next-port, which npm start uses", () => {
  it("serves on the next free port if its own is in use, and says so", async () => {
    await using taken = await takePort();
    const running = home.start(["serve", "--next-port", "--port", String(taken.port)]);
    const text = await running.printed("stdout", "Ctrl-C");
    expect(text).toMatch(new RegExp(`Port ${taken.port} is in use; using port \\d+ instead\\.`));
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    running.child.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });
});

describe("the program itself", () => {
  it("prints its version and its help", async () => {
    expect(await home.landline("--version")).toEqual({ code: 0, stdout: "0.0.0\n", stderr: "" });
    const help = await home.landline("--help");
    expect(help.code).toBe(0);
    for (const command of [
      "serve",
      "run",
      "sessions",
      "attach",
      "export",
      "token",
      "agents",
      "doctor",
    ])
      expect(help.stdout).toContain(`  ${command} `);
  });

  it("forwards signals and exit codes if a Node can't replace itself", async () => {
    const older = home.path("older.cjs");
    // Nor is it the pinned version.
    await writeFile(older, 'process.execve = undefined; process.execPath = "/bin/sh";');
    const args = ["--require", older, path.join(root, "packages/cli/bin/landline.js")];
    const start = (...words: string[]) =>
      new Running(
        spawn(process.execPath, [...args, ...words], {
          env: home.environment,
          stdio: ["pipe", "pipe", "pipe"],
        }),
      );
    expect(await start("dance").ended).toMatchObject({ code: 2 });
    const running = start("serve", "--json");
    const { pid } = JSON.parse(await running.printed("stdout", "\n")) as { pid: number };
    expect(pid).not.toBe(running.child.pid);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await processesOf(home.folder)).toEqual([]);
  });

  it("reports in one sentence that Node is too old", async () => {
    const tree = home.path("tree");
    for (const file of [
      "scripts/setup.cjs",
      "scripts/bundle.cjs",
      "packages/cli/bin/landline.js",
      "packages/cli/bin/package.json",
    ]) {
      await mkdir(path.dirname(path.join(tree, file)), { recursive: true });
      await copyFile(path.join(root, file), path.join(tree, file));
    }
    await writeFile(
      path.join(tree, "old.cjs"),
      'Object.defineProperty(process, "version", { value: "v12.22.0" });',
    );
    const args = [
      "--require",
      path.join(tree, "old.cjs"),
      path.join(tree, "packages/cli/bin/landline.js"),
    ];
    const running = new Running(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] }));
    expect(await running.ended).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Landline runs on Node 24\.15 or newer; this is v12\.22\.0/),
    });
  });
});
