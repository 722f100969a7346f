import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findSandbox, type Sandbox, type SandboxPolicy } from "../src/index.ts";
import { systemCallFilter } from "../src/system-call-filter.ts";
import { isSkipped } from "./skipped.ts";

const run = promisify(execFile);

describe.skipIf(isSkipped)("a confined program", () => {
  let top: string;
  let sandbox: Sandbox;
  const at = (...names: string[]) => join(top, ...names);
  const project = () => at("home/project");

  beforeAll(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), "landline-sandbox-")));
    const files = {
      "home/project/README.md": "readme",
      "home/project/.env": "SECRET=1",
      "home/project/config/server.key": "KEY",
      "home/project/.git/config": "[core]\n",
      "home/project/.git/hooks/pre-commit": "#!/bin/sh\n",
      "home/project/.git/HEAD": "ref: refs/heads/main\n",
      "home/project/.vscode/tasks.json": "{}",
      "home/project/.git/worktrees/other/commondir": "../..\n",
      "home/project/.github/workflows/ci.yml": "{}",
      "home/project/registry/.docker/config.json": "TOKEN",
      "home/project/shared/app": "SECRET=1",
      "home/.ssh/id_rsa": "KEY",
      "home/.bashrc": "# mine",
      "home/other/notes.txt": "mine",
      "home/.cargo/credentials.toml": "TOKEN",
      "home/.cargo/registry/index": "index",
      "home/.cargo/bin/cargo": "#!/bin/sh\n",
      "home/.cargo/tools/tool": "#!/bin/sh\n",
      "home/bin/mine": "#!/bin/sh\n",
      "home/.gitconfig": "[user]\n",
      "home/.config/git/credentials": "TOKEN",
      "home/.cache/huggingface/token": "TOKEN",
      "home/.gradle/gradle.properties": "org.gradle.jvmargs=-Xmx2g\nmavenPassword=PASSWORD\n",
      "home/.nuget/NuGet/NuGet.Config": '<add key="ClearTextPassword" value="PASSWORD" />',
      "home/.local/share/uv/credentials/credentials.toml": "TOKEN",
      "home/.dotnet/corefx/cryptography/x509stores/my/one.pfx": "KEY",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(at(name)), { recursive: true });
      await writeFile(at(name), text);
    }
    await symlink(at("home/other"), at("home/project/link"));
    await symlink(project(), at("alias"));
    await symlink(at("home/project/shared/app"), at("home/project/.env.local"));
    const found = await findSandbox({ home: at("home"), data: at("data") });
    if (found.sandbox === null) throw new Error(found.reason);
    ({ sandbox } = found);
  });
  afterAll(async () => {
    await chmod(at("data/unreadable-folder"), 0o700);
    await rm(top, { recursive: true });
  });

  const policy = (): SandboxPolicy => ({
    write: [project()],
    caches: [at("home/.cargo")],
    read: [at("home/.gitconfig")],
    network: "off",
  });

  /** The output of a shell line, both streams, and its exit code. */
  async function confined(line: string, changed: Partial<SandboxPolicy> = {}, cwd = project()) {
    const call = { file: "/bin/bash", args: ["-c", line], cwd };
    const { file, args } = await sandbox.confine(call, { ...policy(), ...changed });
    const env = { ...process.env, HOME: at("home"), LC_ALL: "C" };
    const ended = await run(file, [...args], { cwd, env }).catch(
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    const code = "code" in ended ? ended.code : 0;
    return { said: ended.stdout + ended.stderr, code };
  }

  test("reads and changes the project", async () => {
    const { said, code } = await confined("cat README.md && echo more > new.txt && cat new.txt");
    expect({ said, code }).toEqual({ said: "readmemore\n", code: 0 });
    expect(await readFile(join(project(), "new.txt"), "utf8")).toBe("more\n");
  });

  test("works in the project by each of its names", async () => {
    const { said } = await confined("cat README.md", { write: [at("alias")] }, at("alias"));
    expect(said).toBe("readme");
  });

  /** Outside the folders that are empty inside. */
  async function seenFolder(): Promise<string> {
    const cache = join(import.meta.dirname, "../../../.cache");
    await mkdir(cache, { recursive: true });
    return mkdtemp(join(cache, "landline-sandbox-"));
  }

  test("reaches sockets of its project, but not those of services outside", async () => {
    const folder = await seenFolder();
    vi.setSystemTime(Date.now() + 60_000);
    const reached = async (path: string, read: readonly string[] = []) => {
      await using server = createServer((socket) => socket.end("hello"));
      server.listen(path);
      await once(server, "listening");
      const script = `require("node:net").connect(${JSON.stringify(path)}).on("error", ({ code }) => console.log(code)).pipe(process.stdout)`;
      return (await confined(`'${process.execPath}' -e '${script}'`, { read })).said;
    };
    expect(await reached(join(folder, "service"))).not.toContain("hello");
    expect(await reached(join(folder, "service"), [folder])).not.toContain("hello");
    expect(await reached(at("home/project/own"))).toBe("hello");
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  });

  test.skipIf(systemCallFilter() === null)("cannot use kernel keys or io_uring", async () => {
    // Numbers of `keyctl` and `io_uring_setup`.
    const [keys, ring] = process.arch === "x64" ? [250, 425] : [219, 425];
    const script = `socket(my $s, 40, 1, 0) or print "$!\\n"; socket($s, 2, 1, 0) and print "inet\\n";
        for (${keys}, ${ring}) { syscall($_, 0, -3, 0) == -1 and print "$!\\n" }`;
    const { said } = await confined(`perl -e '${script}'`);
    const [family, inet, ...refused] = said.trim().split("\n");
    expect(family).toMatch(/^Address family not supported/);
    expect(inet).toBe("inet");
    expect(refused).toEqual(["Function not implemented", "Function not implemented"]);
  });

  test("works in the project by the name of a visible link", async () => {
    const folder = await seenFolder();
    const link = join(folder, "link");
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), link);
    const { said } = await confined("echo x > y && ls", { write: [link] }, link);
    await rm(folder, { recursive: true });
    expect(said).toBe("y\n");
  });

  test("finds credentials and protected places guarded by each of the project's names", async () => {
    const line = `cat .env; echo x > ${project()}/.env; echo x >> .git/config; mv .git old`;
    const { said } = await confined(line, { write: [at("alias")] }, at("alias"));
    expect(said.trim().split("\n")).toEqual([
      expect.stringContaining(".env: Permission denied"),
      expect.stringContaining(".env: Read-only file system"),
      expect.stringContaining(".git/config: Read-only file system"),
      expect.stringContaining("Device or resource busy"),
    ]);
  });

  test.each([
    ["git's folder", "mv .git old"],
    ["a folder above CI workflows", "mv .github old"],
    ["a folder whose name makes a file a credential", "mv registry/.docker registry/old"],
  ])("cannot rename %s", async (_, line) => {
    expect((await confined(line)).said).toContain("Device or resource busy");
  });

  test.each([
    ["a credential of the project", "cat .env", "cat: .env: Permission denied"],
    ["a key in a folder of it", "cat config/server.key", "Permission denied"],
    ["what a credential's link leads to", "cat .env.local", "Permission denied"],
    ["an SSH key", "cat ~/.ssh/id_rsa", "No such file or directory"],
    ["the rest of the home folder", "cat ~/other/notes.txt", "No such file or directory"],
    ["what a link leads to", "cat link/notes.txt", "No such file or directory"],
    ["a token in a cache", "cat ~/.cargo/credentials.toml", "Permission denied"],
    ["files for root alone", "cat /etc/shadow", "Permission denied"],
    ["passwords of Gradle", "cat ~/.gradle/gradle.properties", "Permission denied"],
    ["passwords of NuGet", "cat ~/.nuget/NuGet/NuGet.Config", "Permission denied"],
    ["passwords of uv", "cat ~/.local/share/uv/credentials/credentials.toml", "Permission denied"],
    [
      "keys of .NET",
      "cat ~/.dotnet/corefx/cryptography/x509stores/my/one.pfx",
      "Permission denied",
    ],
  ])("cannot read %s", async (_, line, problem) => {
    const { said, code } = await confined(line);
    expect(said).toContain(problem);
    expect(code).toBe(1);
  });

  test.each([
    ["the system", "echo x > /etc/landline-test", "Read-only file system"],
    ["the home folder", "echo x > ~/.bashrc", "Read-only file system"],
    ["git's settings", "echo x >> .git/config", "Read-only file system"],
    ["a hook", "echo x > .git/hooks/post-commit", "Read-only file system"],
    ["where a working tree's settings are", "echo x > .git/worktrees/other/commondir", "Read-only"],
    ["the editor's tasks", "echo x > .vscode/tasks.json", "Read-only file system"],
    ["a credential", "echo x > .env", "Read-only file system"],
    ["settings that it may read", "echo x >> ~/.gitconfig", "Read-only file system"],
  ])("cannot change %s", async (_, line, problem) => {
    const { said, code } = await confined(line);
    expect(said).toContain(problem);
    expect(code).not.toBe(0);
  });

  test("reads and changes what a person opened", async () => {
    const opened = [join(project(), ".env"), join(project(), ".vscode/tasks.json")];
    const { said, code } = await confined("cat .env && echo x > .vscode/tasks.json", { opened });
    expect({ said, code }).toEqual({ said: "SECRET=1", code: 0 });
    expect((await confined("cat config/server.key", { opened })).code).toBe(1);
  });

  test("cannot move a folder in which a person opened something", async () => {
    const opened = [join(project(), ".git/config")];
    const { said } = await confined("echo '# x' >> .git/config; mv .git old", { opened });
    expect(said).toMatch(/^mv: .*Device or resource busy\n$/);
  });

  test("sees nothing in a hidden folder, except what is mounted there", async () => {
    const hide = [at("home/project/config"), at("other")];
    await mkdir(at("other/shown"), { recursive: true });
    await writeFile(at("other/secret"), "");
    const { said } = await confined(`ls ${at("other")}`, { hide, read: [at("other/shown")] });
    expect(said).toBe("shown\n");
  });

  test("commits, because git's own data is writable", async () => {
    const { code } = await confined("echo x > .git/HEAD.lock && mv .git/HEAD.lock .git/other");
    expect(code).toBe(0);
  });

  test("reads and writes caches, and reads settings", async () => {
    const { said, code } = await confined("cat ~/.gitconfig && echo x > ~/.cargo/registry/new");
    expect({ said, code }).toEqual({ said: "[user]\n", code: 0 });
  });

  test("cannot change programs in a cache that people run", async () => {
    vi.stubEnv("PATH", `${at("home/.cargo/tools")}:${process.env["PATH"]}`);
    const { said } = await confined("echo x > ~/.cargo/bin/cargo; echo x > ~/.cargo/tools/tool");
    vi.unstubAllEnvs();
    expect(said.match(/Read-only file system/g)).toHaveLength(2);
  });

  test("cannot change toolchains and tool settings, with the known caches", async () => {
    const line =
      "echo x > ~/.cargo/config.toml; echo x > ~/.cargo/registry/x && cat ~/.cargo/bin/cargo";
    const { said } = await confined(line, { caches: null, read: [] });
    expect(said).toMatch(/config.toml: Read-only file system/);
    expect(said).toContain("#!/bin/sh");
  });

  test("cannot read tokens beside settings and caches, with the known ones", async () => {
    const line = "cat ~/.config/git/credentials ~/.cache/huggingface/token";
    const { said } = await confined(line, { caches: null, read: [] });
    expect(said.match(/Permission denied/g)).toHaveLength(2);
  });

  test("sees only the programs on the PATH in a home folder", async () => {
    vi.stubEnv("PATH", `${at("home/bin")}:${process.env["PATH"]}`);
    const { said } = await confined("ls ~");
    vi.unstubAllEnvs();
    expect(said).toBe("bin\nproject\n");
  });

  test("cannot change the system or all home folders, although a session is there", async () => {
    for (const folder of ["/", top]) {
      const line = `ls -A ${at("home")} /run; echo x > ${at("home/.bashrc")}`;
      const { said } = await confined(line, { write: [folder], caches: [], read: [] }, "/");
      expect(said).toMatch(/Read-only file system|No such file/);
      expect(said).not.toContain(".ssh");
    }
    expect(await readFile(at("home/.bashrc"), "utf8")).toBe("# mine");
  });

  test("inherits no file descriptor", async () => {
    const own = JSON.stringify({ home: at("home"), data: at("data") });
    const call = JSON.stringify({ file: "/bin/ls", args: ["/proc/self/fd/"], cwd: project() });
    const program = `
      import { execFileSync } from "node:child_process";
      import { findSandbox } from ${JSON.stringify(join(import.meta.dirname, "../src/index.ts"))};
      const { sandbox } = await findSandbox(${own});
      const { file, args } = await sandbox.confine(${call}, ${JSON.stringify(policy())});
      console.log(execFileSync(file, args, { encoding: "utf8" }));`;
    await writeFile(at("inheriting.mjs"), program);
    const line = 'exec "$0" --conditions=@landline/source "$1" 17< / 203< /';
    const { stdout } = await run("bash", ["-c", line, process.execPath, at("inheriting.mjs")]);
    expect(stdout.trim().split("\n")).toEqual(["0", "1", "2", "3"]);
  });

  test("a line that looks like a path mounts nothing", async () => {
    await mkdir(join(project(), "a;. ."), { recursive: true });
    await symlink(at("home/other/notes.txt"), join(project(), "a;. ./b"));
    await writeFile(join(project(), "b"), "cat ~/other/notes.txt");
    const { said } = await confined(`${project()}/a;. ./b`);
    expect(said).toContain("notes.txt: No such file or directory");
  });

  test("reads the folder of its script", async () => {
    const script = at("home/other/notes.txt");
    const call = { file: "/bin/cat", args: [script], cwd: project(), scripts: [script] };
    const { file, args } = await sandbox.confine(call, policy());
    expect((await run(file, [...args])).stdout).toBe("mine");
  });

  test("does not see a hidden folder inside a writable one", async () => {
    const [outer, inner] = [at("home/project"), at("home/project/shared")];
    const hidden = { write: [outer], hide: [inner], opened: [at("home/project/shared/app")] };
    const { said, code } = await confined(`cat ${inner}/app; echo x > ${inner}/new`, hidden);
    expect(code).not.toBe(0);
    expect(said).not.toContain("SECRET");
    await expect(readFile(join(inner, "new"))).rejects.toThrow("ENOENT");
  });

  test.each([
    ["a folder, by a name that is protected", ".idea", "home/.ssh", "cat .idea/id_rsa"],
    ["a file, by a name that is protected", ".mcp.json", "home/.bashrc", "cat .mcp.json"],
    ["a folder of git's settings", ".git/info", "../../.ssh", "cat .git/info/id_rsa"],
    [
      "a file of git's settings",
      ".git/config.worktree",
      "../../.bashrc",
      "cat .git/config.worktree",
    ],
  ])("a link to a hidden path shows nothing: %s", async (_, name, target, line) => {
    const link = join(project(), name);
    await symlink(target.startsWith("..") ? target : at(target), link);
    const { said } = await confined(line);
    await rm(link);
    expect(said).toMatch(/^cat: .*: No such file or directory\n$/);
  });

  test("cannot read a credential in a readable folder", async () => {
    await writeFile(at("home/other/.env"), "SECRET=1");
    const read = [at("home/other")];
    const { said } = await confined("cat ~/other/notes.txt ~/other/.env", { read });
    const opened = [at("home/other/.env")];
    const { said: allowed } = await confined("cat ~/other/.env", { read, opened });
    await rm(at("home/other/.env"));
    expect(said).toMatch(/^minecat: .*Permission denied\n$/);
    expect(allowed).toBe("SECRET=1");
  });

  test("receives signals that do not end the sandbox", async () => {
    const line = "trap 'echo ended; exit 5' TERM; echo ready; while :; do sleep 0.02; done";
    const call = { file: "/bin/bash", args: ["-c", line], cwd: project(), statusDescriptor: 3 };
    const { file, args } = await sandbox.confine(call, policy());
    const child = spawn(file, [...args], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
    const [said, status] = await Promise.all(
      [child.stdout, child.stdio[3]].map(async (stream) => {
        const [chunk] = (await once(stream!, "data")) as [Buffer];
        return chunk.toString();
      }),
    );
    expect(said).toBe("ready\n");
    const pid = Number(/"child-pid": (\d+)/.exec(status!)?.[1]);
    const rest = once(child.stdout!, "data");
    process.kill(-pid, "SIGTERM");
    expect(String((await rest)[0])).toContain("ended");
    expect((await once(child, "exit"))[0]).toBe(5);
  });

  test("has its own folder for temporary files", async () => {
    const others = await mkdtemp(join(tmpdir(), "landline-sandbox-"));
    const { said, code } = await confined("echo x > /tmp/x && ls -A /tmp");
    await rm(others, { recursive: true });
    expect(code).toBe(0);
    expect(said.split("\n")).toContain("x");
    expect(said.split("\n")).not.toContain(basename(others));
  });

  test("has no network unless it is on", async () => {
    await using server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const line = `cat < /dev/tcp/127.0.0.1/${port}`;
    expect((await confined(line)).said).toContain("Connection refused");
    expect((await confined(line, { network: "on" })).said).toBe("hello\n");
  });

  test("reaches no service socket", async () => {
    const { said } = await confined("ls -A /run");
    expect(said).toBe("");
  });

  test("cannot change kernel settings, not even as root", async () => {
    const { said } = await confined("find /proc/sys /proc/sysrq-trigger -writable 2> /dev/null");
    expect(said).toBe("");
  });

  test("sees only its own processes", async () => {
    const { said } = await confined("ls -d /proc/[0-9]*");
    expect(said.trim().split("\n").length).toBeLessThan(5);
  });

  test("ends with all its processes", async () => {
    const seconds = `3${process.pid}`;
    await confined(`env -i setsid -f sleep ${seconds}`);
    const { stdout } = await run("ps", ["-eo", "args"]);
    expect(stdout.split("\n").filter((args) => args === `sleep ${seconds}`)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("looking for a sandbox", () => {
  test("fails if bubblewrap does not answer, so that nothing runs unconfined", async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), "landline-sandbox-")));
    try {
      await writeFile(join(top, "bwrap"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
      vi.stubEnv("PATH", `${top}:${process.env["PATH"]}`);
      const looking = findSandbox({ home: top, data: join(top, "data") }, { probeMs: 300 });
      await expect(looking).rejects.toThrow("bubblewrap did not run a program within 300 ms");
    } finally {
      vi.unstubAllEnvs();
      await rm(top, { recursive: true, force: true });
    }
  });
});
