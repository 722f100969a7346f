import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What a line did, according to strace. Failed attempts count, except for reading. */
export interface Trace {
  /** The started programs, as named. */
  readonly executed: readonly string[];
  /** Files opened for reading, with links followed. */
  readonly read: readonly string[];
  /** Changes to files or the machine, as `call path`. */
  readonly changed: readonly string[];
  /** Addresses of sockets. */
  readonly connected: readonly string[];
}

export interface TraceOptions {
  readonly strace: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** System calls that always change something. They are denied, so that a wrong verdict does no harm. */
const changing = (
  "unlink unlinkat rmdir rename renameat renameat2 mkdir mkdirat mknod mknodat symlink symlinkat link linkat truncate " +
  "chmod fchmodat fchmodat2 chown lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr removexattr " +
  "lremovexattr mount umount2 pivot_root chroot reboot sethostname setdomainname settimeofday clock_settime adjtimex " +
  "init_module finit_module delete_module swapon swapoff ptrace process_vm_writev bpf"
).split(" ");
/** It would bypass strace. Node falls back to traced calls. */
const hiding = "io_uring_setup";
const others =
  "execve execveat open openat openat2 creat connect bind sendto sendmsg sendmmsg".split(" ");

/** A line that runs longer (`tail -f`) has done everything by then. */
const lineMsMax = 3_000;

/** Never root, so that a wrong verdict cannot change files of this machine. */
export const person = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/** Runs a line with bash under strace. */
export async function traceLine(line: string, options: TraceOptions): Promise<Trace> {
  const { strace, cwd, env } = options;
  const folder = await mkdtemp(join(tmpdir(), "landline-trace-"));
  const output = join(folder, "trace");
  const optional = (calls: readonly string[]) => calls.map((call) => `?${call}`).join(",");
  const selected = [
    `trace=${optional([...changing, ...others, hiding])}`,
    `inject=${optional([...changing, hiding])}:error=EPERM`,
    "signal=none",
  ].flatMap((each) => ["-e", each]);
  const flags = ["-f", "--seccomp-bpf", "-y", "-qq", "-s", "4096", "-o", output, ...selected];
  try {
    if (person) await chown(folder, person.uid, person.gid);
    const child = spawn(strace, [...flags, "/bin/bash", "-c", line], {
      cwd,
      env,
      stdio: "ignore",
      detached: true,
      ...person,
    });
    const end = setTimeout(() => killGroup(child.pid), lineMsMax);
    await once(child, "exit");
    clearTimeout(end);
    // Background processes of the line.
    killGroup(child.pid);
    return readTrace(await readFile(output, "utf8"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

/** Parses the output of `strace -f -y`. An interrupted call is in two parts. */
export function readTrace(text: string): Trace {
  const trace = {
    executed: [] as string[],
    read: [] as string[],
    changed: [] as string[],
    connected: [] as string[],
  };
  const unfinished = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const cut = / <unfinished \.\.\.>$/.exec(rest);
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    if (cut) unfinished.set(pid, rest.slice(0, cut.index));
    else if (resumed) {
      takeCall((unfinished.get(pid) ?? "") + rest.slice(resumed[0].length), trace);
      unfinished.delete(pid);
    } else if (rest !== "") takeCall(rest, trace);
  }
  // The process was ended during a call.
  for (const call of unfinished.values()) takeCall(`${call}) = ?`, trace);
  return trace;
}

const call = /^(\w+)\((.*)\)\s+= (.*)$/s;

function takeCall(text: string, trace: Record<keyof Trace, string[]>): void {
  const [, name = "", args = "", result = ""] = call.exec(text) ?? [];
  if (name === "") return;
  const isDone = !result.startsWith("-1");
  // Some programs open a file for writing to check whether it is a folder.
  if (result.startsWith("-1 EISDIR")) return;
  if (name.startsWith("execve")) trace.executed.push(pathIn(args));
  else if (/^(?:connect|bind|send)/.test(name)) trace.connected.push(...addressesIn(args));
  else if (name === hiding) return;
  else if (!name.startsWith("open")) trace.changed.push(`${name} ${pathIn(args)}`);
  else if (/\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b/.test(args))
    trace.changed.push(`${name} ${pathIn(args)}`);
  // A descriptor with O_PATH reads nothing.
  else if (isDone && !args.includes("O_PATH"))
    trace.read.push(/^\d+<(.*)>$/s.exec(result)?.[1] ?? pathIn(args));
}

/** The first path of the arguments, relative to the folder before it. */
function pathIn(args: string): string {
  const found = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:\\.|[^"\\])*)"/s.exec(args);
  if (!found) return args;
  const [, folder = "/", name = ""] = found;
  return resolve(folder, name.replaceAll(/\\(["\\])/g, "$1"));
}

function addressesIn(args: string): string[] {
  return Array.from(args.matchAll(/\{sa_family=([^}]*)\}/g), ([, address = ""]) => address);
}
