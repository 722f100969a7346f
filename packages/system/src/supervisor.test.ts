import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lives, startedWith } from "../test/live-processes.ts";
import { type Program, type ProgramStart, startProgram } from "./start-program.ts";
import { findSupervisor, type Supervisor } from "./supervisor.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-supervisor-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A PATH with only this interpreter. */
function pathWith(interpreter: string): string {
  const path = mkdtempSync(join(folder, "bin-"));
  symlinkSync(realInterpreter(interpreter), join(path, interpreter));
  return path;
}

function realInterpreter(name: string): string {
  const print = name === "perl" ? ["-e", "print $^X"] : ["-c", "import sys;print(sys.executable)"];
  return execFileSync(name, print, { encoding: "utf8" }).trim();
}

const environment = (added: Record<string, string> = {}) => ({
  ...(process.env as Record<string, string>),
  ...added,
});

let last = 0;
/** A unique sleep time, by which the process is found. */
const aWhile = () => `3600.${process.pid}${last++}`;

/** A process that leaves the session and group, clears its environment and is orphaned. */
const hidden = (time: string) => `env -i setsid -f sleep ${time}`;

describe("findSupervisor", () => {
  it("finds none without perl and python3, and each of them alone", async () => {
    expect(await findSupervisor({ PATH: folder }, [])).toBeNull();
    expect(await findSupervisor({}, [])).toBeNull();
    for (const name of ["perl", "python3"])
      expect((await findSupervisor({ PATH: pathWith(name) }, []))?.interpreter).toContain(
        name.replace("3", ""),
      );
  });

  it("rejects an interpreter that does not work", async () => {
    const path = mkdtempSync(join(folder, "bin-"));
    symlinkSync("/bin/true", join(path, "perl"));
    symlinkSync("/bin/false", join(path, "python3"));
    expect(await findSupervisor({ PATH: path }, [])).toBeNull();
  });
});

describe.each(["perl", "python3"])("a supervisor in %s", (interpreter) => {
  let supervisor: Supervisor;
  beforeAll(async () => {
    const found = await findSupervisor({ PATH: pathWith(interpreter) }, []);
    if (found === null) throw new Error(`${interpreter} does not work here.`);
    supervisor = found;
  });

  function start(
    [file = "", ...args]: readonly string[],
    changes: Partial<ProgramStart> & { readonly env?: Record<string, string> } = {},
  ): Program {
    const { env = environment(), ...others } = changes;
    return startProgram({
      call: { file, args, env },
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"],
      supervisor,
      leftovers: "end",
      limitMs: 5_000,
      ...others,
    });
  }

  const shell = (line: string, changes?: Parameters<typeof start>[1]) =>
    start(["/bin/sh", "-c", line], changes);

  async function outcome(program: Program) {
    const [stdout, stderr, exit] = await Promise.all([
      text(program.child.stdout!),
      text(program.child.stderr!),
      program.exited,
    ]);
    return { stdout, stderr, ...exit };
  }

  /** Resolves to its first line. */
  async function firstLine({ child }: Program): Promise<string> {
    const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
    return chunk.toString().trim();
  }

  it("exits like the program, by code and by signal, without output", async () => {
    expect(await outcome(shell("exit 0"))).toMatchObject({ code: 0, signal: null });
    expect(await outcome(shell("echo out; echo err >&2; exit 201"))).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 201,
      signal: null,
    });
    for (const signal of ["SIGTERM", "SIGKILL", "SIGSEGV", "SIGFPE", "SIGPIPE", "SIGUSR1"]) {
      const killed = shell(`kill -${signal.slice(3)} $$`);
      expect(await outcome(killed)).toMatchObject({ code: null, signal });
    }
  });

  it("reports why a program could not be executed", async () => {
    await expect(start(["/no/such/program"]).started).rejects.toMatchObject({ code: "ENOENT" });
    await expect(start(["no-such-program"]).started).rejects.toMatchObject({ code: "ENOENT" });
    await expect(start([folder]).started).rejects.toMatchObject({ code: "EACCES" });
  });

  it("passes the environment, arguments and signals unchanged", async () => {
    const env = environment({
      PERL5OPT: "-MNo::Such::Module",
      PERL5LIB: "/nowhere",
      PERL_UNICODE: "SAD",
      PYTHONSTARTUP: "/nowhere",
      PYTHONHOME: "/nowhere",
      LC_ALL: "xx_XX.UTF-8",
      ODD: "a\nb=c\u00e9",
      LANDLINE_KEPT_X: "1",
    });
    const line = "env -0 | sort -z; grep '^Sig[BIC]' /proc/self/status; ls -l /proc/self/fd";
    const call = ["/bin/bash", "-c", `${line} | awk '{ print $9 }'; printf %s "$@"`, "b"];
    const words = ["a b", "", "\u00e9", "-e", "$x"];
    const plain = await outcome(start([...call, ...words], { env, supervisor: null }));
    expect(await outcome(start([...call, ...words], { env }))).toEqual(plain);
    expect(plain.stdout).toContain("PERL5OPT=-MNo::Such::Module\0");
  });

  it("passes 10 MB through unchanged, and keeps no pipe open that the program has closed", async () => {
    const bytes = Buffer.alloc(10 * 1_024 * 1_024, "0123456789abcdef\n");
    const cat = start(["cat"]);
    cat.child.stdin!.end(bytes);
    expect((await buffer(cat.child.stdout!)).equals(bytes)).toBe(true);
    expect(await cat.exited).toEqual({ code: 0, signal: null });

    const silent = shell("exec >&- 2>&-; read line");
    expect(await text(silent.child.stdout!)).toBe("");
    silent.child.stdin!.end("go\n");
    expect(await silent.exited).toEqual({ code: 0, signal: null });
  });

  it("forwards signals to the program's group, and its own command line does not contain the program", async () => {
    const line = "trap 'echo heard; exit 5' TERM; echo up; while :; do sleep 0.02; done";
    const program = shell(line, { env: environment({ SECRET_MARK: "secret-mark" }) });
    await program.started;
    const { pid } = program.child;
    const shown = (file: string) =>
      readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", "");
    expect(shown("cmdline")).toBe("landline supervisor");
    expect(shown("environ")).toBe("");
    await firstLine(program);
    process.kill(-pid!, "SIGTERM");
    expect(await outcome(program)).toMatchObject({ stdout: "heard\n", code: 5 });
  });

  it("ends detached processes when the program exits", async () => {
    const time = aWhile();
    const program = shell(
      `${hidden(time)}; ${hidden(time)}; (${hidden(time)} &) ; echo up; read x`,
    );
    await firstLine(program);
    await expect.poll(() => startedWith(`sleep\0${time}\0`)).toHaveLength(3);
    program.child.stdin!.end();
    await program.exited;
    expect(startedWith(time)).toEqual([]);
  });

  it("kills everything when it is signalled, even while it is stopped", async () => {
    const time = aWhile();
    const program = shell(`trap '' TERM HUP INT; ${hidden(time)}; echo up; sleep ${time}`);
    await firstLine(program);
    process.kill(program.child.pid!, "SIGSTOP");
    program.group?.kill();
    expect(await program.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(startedWith(time)).toEqual([]);
  });

  it("ends processes that keep restarting each other, within its time limit", async () => {
    const time = aWhile();
    // Each process starts a successor in another session, and exits.
    const again = `sleep 0.01; setsid -f sh -c "$AGAIN" ${time}`;
    const program = shell('for i in 1 2 3; do sh -c "$AGAIN" & done; echo up; read x', {
      env: environment({ AGAIN: again }),
    });
    await firstLine(program);
    await expect.poll(() => startedWith(time).length).toBeGreaterThan(1);
    program.child.stdin!.end();
    await program.exited;
    expect(startedWith(time)).toEqual([]);
  });

  it("keeps leftovers until SIGTERM, and reports the exit before", async () => {
    const time = aWhile();
    const program = shell(`${hidden(time)}; sleep ${time} & echo up; exit 3`, {
      leftovers: "stay",
    });
    expect(await program.exited).toEqual({ code: 3, signal: null });
    await expect.poll(() => startedWith(`sleep\0${time}\0`)).toHaveLength(2);
    const gone = once(program.child, "exit");
    process.kill(-program.child.pid!, "SIGTERM");
    expect(await gone).toEqual([3, null]);
    expect(startedWith(time)).toEqual([]);
  });

  it("exits when nothing is left", async () => {
    const program = shell("exit 4", { leftovers: "stay" });
    const gone = once(program.child, "exit");
    expect(await program.exited).toEqual({ code: 4, signal: null });
    expect(await gone).toEqual([4, null]);
  });

  it("ends the program when it is killed", async () => {
    const program = shell("echo $$; exec sleep 3600");
    const pid = Number(await firstLine(program));
    program.child.kill("SIGKILL");
    expect(await program.exited).toEqual({ code: null, signal: "SIGKILL" });
    await expect.poll(() => lives(pid)).toBe(false);
  });

  it("reaps orphans while the program runs", async () => {
    const program = shell('for i in 1 2 3; do (sh -c "exit 1" &) ; done; echo $PPID; read x');
    const pid = await firstLine(program);
    const zombies = () =>
      execFileSync("ps", ["-o", "stat=", "--ppid", pid], { encoding: "utf8" })
        .split("\n")
        .filter((state) => state.startsWith("Z"));
    await expect.poll(zombies).toEqual([]);
    program.child.stdin!.end();
    await program.exited;
  });
});
