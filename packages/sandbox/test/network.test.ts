import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConfinedCall, findSandbox, type ProgramCall, type Sandbox } from "../src/index.ts";
import { isSkipped } from "./skipped.ts";

const run = promisify(execFile);

describe.skipIf(isSkipped)("a confined program with a list of hosts", () => {
  let top: string;
  let sandbox: Sandbox;
  let server: Server;
  let port: number;
  let asked: string[] = [];
  const at = (...names: string[]) => join(top, ...names);

  beforeAll(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), "landline-network-")));
    await mkdir(at("home/project"), { recursive: true });
    const found = await findSandbox({ home: at("home"), data: at("data") });
    if (found.sandbox === null) throw new Error(found.reason);
    ({ sandbox } = found);
    server = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`);
      response.end(`hello from ${request.url}\n`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await chmod(at("data/unreadable-folder"), 0o700);
    await rm(top, { recursive: true });
  });

  function confine(line: string, network: readonly string[], more: Partial<ProgramCall> = {}) {
    const call = { file: "/bin/bash", args: ["-c", line], cwd: at("home/project"), ...more };
    return sandbox.confine(call, { write: [call.cwd], caches: [], read: [], network });
  }

  const start = ({ file, args, cwd }: ConfinedCall, mark = "") =>
    spawn(file, args, {
      cwd,
      env: { ...process.env, LC_ALL: "C", LANDLINE_TEST_MARK: mark },
      detached: true,
    });

  async function outputOf(child: ChildProcess): Promise<string> {
    let said = "";
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(child, "close");
    return said;
  }

  async function confined(line: string, network: readonly string[]) {
    const call = await confine(line, network);
    const child = start(call);
    const said = await outputOf(child);
    const denied = call.deniedHosts();
    await call.close();
    return { said, code: child.exitCode, denied };
  }

  /** The programs of processes with a mark, including bwrap and the relay. */
  async function marked(mark: string): Promise<string[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const programs = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
        if (!environment.split("\0").includes(`LANDLINE_TEST_MARK=${mark}`)) return [];
        const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
        return [words.includes("--unshare-all") ? "bwrap" : (words[1] ?? "")];
      }),
    );
    return programs.flat();
  }

  const fetching = (address: string) =>
    `${process.execPath} -e 'fetch("${address}").then((a) => a.text()).then((text) => process.stdout.write(text))'`;

  const getting = (...addresses: string[]) => {
    const script = `for (const address of ${JSON.stringify(addresses)})
      require("node:http").get(address, (answer) =>
        answer.setEncoding("utf8").on("data", (text) => console.log(answer.statusCode, text.trim())));`;
    return `${process.execPath} -e '${script}'`;
  };

  test("reaches those hosts only; others are reported", async () => {
    asked = [];
    const list = [`localhost:${port}`, "*.example.com"];
    const addresses = [
      `http://localhost:${port}/own`,
      "http://example.com/x",
      `http://127.0.0.2:${port}/other`,
    ];
    const { said, denied, code } = await confined(getting(...addresses), list);
    const refused = (host: string) =>
      `403 The sandbox refused the connection to ${host}: the host is not on its list.`;
    expect(said.trim().split("\n").toSorted()).toEqual([
      "200 hello from /own",
      refused(`127.0.0.2:${port}`),
      refused("example.com:80"),
    ]);
    expect(denied.toSorted()).toEqual([`127.0.0.2:${port}`, "example.com:80"]);
    expect(asked).toEqual([`localhost:${port}/own`]);
    expect(code).toBe(0);
    expect((await confined(fetching(addresses[0]!), list)).said).toBe("hello from /own\n");
  });

  test("tunnels through the proxy, and has no other connection", async () => {
    asked = [];
    const connect = (host: string) =>
      `exec 5<>/dev/tcp/127.0.0.1/\${HTTPS_PROXY##*:}; printf 'CONNECT ${host} HTTP/1.1\\r\\n\\r\\n' >&5
       IFS= read -r status <&5; echo "$status"; `;
    const tunnelled = `read -r empty <&5; printf 'GET /tunnel HTTP/1.0\\r\\n\\r\\n' >&5; cat <&5; exec 5>&-;`;
    const { said, denied } = await confined(
      `${connect(`127.0.0.1:${port}`)} ${tunnelled} ${connect("evil.example:443")} exec 5>&-
       echo > /dev/tcp/127.0.0.1/${port}; ls /sys/class/net; env | grep -ic _proxy=`,
      [`127.0.0.1:${port}`],
    );
    expect(said).toContain("HTTP/1.1 200 Connection established");
    expect(said).toContain("hello from /tunnel");
    expect(said).toContain("HTTP/1.1 403 Forbidden");
    expect(said).toContain("Connection refused");
    expect(denied).toEqual(["evil.example:443"]);
    expect(asked).toHaveLength(1);
  });

  test("reaches its own servers without the proxy, unless the list contains local ones", async () => {
    const script = `const own = require("node:http").createServer((_, answer) => answer.end("own"));
      own.listen(${port}, "127.0.0.1", async () => {
        for (const host of ["localhost", "127.0.0.1"])
          console.log(await (await fetch("http://" + host + ":${port}/x")).text());
        process.exit();
      });`;
    const { said } = await confined(`${process.execPath} -e '${script}'`, [`127.0.0.1:${port}`]);
    expect(said.trim().split("\n")).toEqual(["own", "hello from /x"]);
  });

  test("has the same input, exit code and signals as without the relay, and no process between", async () => {
    const list = ["example.com"];
    expect(await confined("exit 7", list)).toMatchObject({ said: "", code: 7 });
    expect(await confined("kill -KILL $$", list)).toMatchObject({ code: 137 });
    const parent = 'cat /proc/$PPID/comm; jobs -p; echo "$0 $*"';
    expect((await confined(parent, list)).said).toBe("bwrap\n/bin/bash \n");
    const call = await confine("cat; echo over", list);
    const child = start(call);
    child.stdin.end("typed ");
    expect(await outputOf(child)).toBe("typed over\n");
    await call.close();
  });

  test("keeps its network while it handles a signal to its group", async () => {
    const script = `end() { ${fetching(`http://localhost:${port}/end`)} > end.txt; exit; }
      trap end TERM; echo up; while :; do sleep 0.05; done`;
    await writeFile(at("home/project/ending.sh"), script);
    const call = await confine("exec bash ending.sh", [`localhost:${port}`], {
      leavesBackground: true,
    });
    const child = start(call);
    await once(child.stdout, "data");
    process.kill(-child.pid!, "SIGTERM");
    await outputOf(child);
    expect(await readFile(at("home/project/end.txt"), "utf8")).toBe("hello from /end\n");
    await call.close();
  });

  test("keeps the network for a background process, and the relay ends after it", async () => {
    const list = [`localhost:${port}`];
    const mark = `background-${process.pid}`;
    const line = `mkfifo go; (read -r x < go; ${fetching(`http://localhost:${port}/late`)} > late.txt) > /dev/null 2>&1 & echo left`;
    const call = await confine(line, list, { leavesBackground: true });
    const child = start(call, mark);
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect(await marked(mark)).toContain("/dev/landline/relay.cjs");
    await writeFile(at("home/project/go"), "\n");
    await expect.poll(() => marked(mark)).toEqual([]);
    expect(await readFile(at("home/project/late.txt"), "utf8")).toBe("hello from /late\n");
    await call.close();
  });

  test("ends with all its processes, and nothing is left after close", async () => {
    const mark = `ended-${process.pid}`;
    const call = await confine("echo up; sleep 600", ["localhost"]);
    const child = start(call, mark);
    await once(child.stdout, "data");
    expect(await readdir(at("data/network"))).toHaveLength(1);
    expect(await marked(mark)).toEqual(
      expect.arrayContaining(["bwrap", "/dev/landline/relay.cjs"]),
    );
    process.kill(child.pid!, "SIGKILL");
    await once(child, "close");
    await expect.poll(() => marked(mark)).toEqual([]);
    await Promise.all([call.close(), call.close()]);
    expect(await readdir(at("data/network"))).toEqual([]);
  });

  test("removes sockets of killed processes, and keeps those in use", async () => {
    const gone = spawn("true");
    await once(gone, "exit");
    await writeFile(at(`data/network/${gone.pid}-1`), "");
    const [one, other] = [await confine("true", []), await confine("true", [])];
    const names = await readdir(at("data/network"));
    expect(names.map((name) => name.split("-")[0])).toEqual([`${process.pid}`, `${process.pid}`]);
    await Promise.all([one.close(), other.close()]);
  });

  test("does not start with an invalid list", async () => {
    await expect(confine("true", ["http://example.com"])).rejects.toThrow(
      '"http://example.com" is not a host.',
    );
    expect(await readdir(at("data/network"))).toEqual([]);
  });

  test("has its network if Node is below the home folder and its path is long", async () => {
    const node = at("home/tools/node");
    await mkdir(at("home/tools"));
    await copyFile(process.execPath, node);
    const data = at(...Array.from({ length: 6 }, () => "a-folder-with-a-long-name"));
    const call = {
      file: "/bin/bash",
      args: ["-c", 'echo "$HTTP_PROXY"; ls ~/tools'],
      cwd: at("home/project"),
    };
    const policy = { write: [call.cwd], caches: [], read: [], network: ["example.com"] };
    const program = `
      import { execFileSync } from "node:child_process";
      import { findSandbox } from ${JSON.stringify(join(import.meta.dirname, "../src/index.ts"))};
      const { sandbox } = await findSandbox(${JSON.stringify({ home: at("home"), data })});
      const call = await sandbox.confine(${JSON.stringify(call)}, ${JSON.stringify(policy)});
      console.log(execFileSync(call.file, call.args, { encoding: "utf8" }));
      await call.close();`;
    await writeFile(at("sandboxSuite.mjs"), program);
    const env = { ...process.env, HOME: at("home") };
    const { stdout } = await run(node, ["--conditions=@landline/source", at("sandboxSuite.mjs")], {
      env,
    });
    expect(stdout).toMatch(/^http:\/\/127.0.0.1:\d+\nnode\n/);
    await chmod(join(data, "unreadable-folder"), 0o700);
    expect(existsSync(join(data, "network"))).toBe(true);
  });
});
