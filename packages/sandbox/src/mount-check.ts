import { constants } from "node:fs";
import { open, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { isWithin } from "@landline/shell";
import type { FileMount } from "./bubblewrap.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** Why a program did not start: bubblewrap did not mount the files that were examined. */
export const changedDuringSetup =
  "The program was not started: files were replaced while the sandbox was set up. Start it again.";

const filesAtOnce = 32;
/** O_PATH: opens a path without reading it, even without read permission. Node does not export this flag. */
const pathOnly = 0o10000000;

/**
 * bubblewrap mounts by path and follows links, and a process can replace a folder with a link after the layout was
 * computed. This returns what `mountinfo` must contain for each mount: device, root, mount point, "ro" or "rw". Each
 * mount has one line, so a full match proves that each has the right source and mount point. Rejects if a source was
 * already replaced.
 */
export async function expectedMounts(mounts: readonly FileMount[]): Promise<string[]> {
  const outside = parseMountInfo(await readFile("/proc/self/mountinfo", "utf8"));
  const own = new Set([...outside.values()].map(({ at }) => at));
  const expected: string[] = [];
  for (let start = 0; start < mounts.length; start += filesAtOnce) {
    const some = mounts.slice(start, start + filesAtOnce);
    expected.push(...(await Promise.all(some.map((mount) => expectedMount(mount, outside)))));
  }
  // A mount inside the project appears twice: with the project, and by itself.
  const twice = mounts.flatMap(({ from }, index) =>
    own.has(from) && mounts.some((other) => other.from !== from && isWithin(other.from, from))
      ? [expected[index] ?? ""]
      : [],
  );
  return [...expected, ...twice];
}

interface OutsideMount {
  readonly device: string;
  readonly root: string;
  readonly at: string;
  readonly mode: string;
}

function parseMountInfo(text: string): Map<string, OutsideMount> {
  const mounts = new Map<string, OutsideMount>();
  for (const line of text.split("\n")) {
    const [id = "", , device = "", root = "", at = "", options = ""] = line.split(" ");
    mounts.set(id, { device, root: decode(root), at: decode(at), mode: options.slice(0, 2) });
  }
  return mounts;
}

async function expectedMount(
  { option, from, at }: FileMount,
  outside: ReadonlyMap<string, OutsideMount>,
): Promise<string> {
  const id = await mountHolding(from);
  const mount = outside.get(id);
  if (mount === undefined) throw new Error(changedDuringSetup);
  const root = join(mount.root, relative(mount.at, from));
  const mode = option === "--bind" ? mount.mode : "ro";
  return `${mount.device} ${encode(root)} ${encode(at)} ${mode}`;
}

/**
 * Uses a descriptor, which gives the path and the mount of the same file. Two lookups by path could find different
 * files.
 */
async function mountHolding(path: string): Promise<string> {
  const file = await open(path, pathOnly | constants.O_NOFOLLOW);
  try {
    const [real, info] = await Promise.all([
      readlink(`/proc/self/fd/${file.fd}`),
      readFile(`/proc/self/fdinfo/${file.fd}`, "latin1"),
    ]);
    if (real !== path) throw new Error(changedDuringSetup);
    return /^mnt_id:\s*(\d+)$/m.exec(info)?.[1] ?? "";
  } finally {
    await file.close();
  }
}

/** The kernel writes these characters of a path in octal. */
function encode(path: string): string {
  return path.replaceAll(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}

function decode(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

/**
 * The descriptors for the system call filter, for bubblewrap's status with the process id of the sandbox, and for the
 * pipe that blocks the program until it is released.
 */
export const checkDescriptors = { filter: 7, status: 8, release: 9 } as const;

/** With thousands of mounts, setup takes seconds on a busy machine. */
const setupSecondsMax = 60;

/**
 * A second process compares the mounts while bubblewrap waits. It runs outside, because a wrong mount could cover any
 * program inside, including this shell. bubblewrap has dropped its capabilities once everything is mounted. bubblewrap
 * holds both pipes open for writing, so that the end of the second process does not release it.
 */
const script = `count=$1 message=$2 told=$3 filter=$4 expected=("\${@:5:count}")
shift "$((count + 4))"
are_mounted() {
  local -A found=()
  local device root point options line
  while read -r _ _ device root point options _; do
    found["$device $root $point \${options:0:2}"]+=x
  done < "/proc/$1/mountinfo" || return
  for line in "\${expected[@]}"; do
    [[ -n \${found["$line"]} ]] || return
    found["$line"]=\${found["$line"]#x}
  done
}
check() {
  local line part pid name value is_set_up deadline=$((SECONDS + ${setupSecondsMax}))
  until read -rt 0.05 part <&${checkDescriptors.status}; do
    line+=$part
    kill -0 $$ || return
    ((SECONDS < deadline)) || { refuse $$; return; }
  done
  line+=$part
  [[ $line =~ child-pid.:\\ ([0-9]+) ]] || { refuse $$; return; }
  pid=\${BASH_REMATCH[1]}
  [[ -z $told ]] || printf '%s\\n' "$line" >&"$told"
  while ((SECONDS < deadline)); do
    is_set_up=
    while read -r name value; do
      [[ $name != CapEff: || $value == *[!0]* ]] || is_set_up=yes
    done < "/proc/$pid/status" || return
    if [[ -n $is_set_up ]]; then
      are_mounted "$pid" || break
      echo
      return
    fi
    read -rt 0.001 <&${checkDescriptors.status}
  done
  refuse "$pid"
}
refuse() {
  printf '%s\\n' "$message" >&6
  kill -KILL "$1"
}
exec ${checkDescriptors.status}<> <(:)
exec ${checkDescriptors.release}<> <(exec 6>&2 2> /dev/null; check)
exec ${checkDescriptors.filter}< <(printf "$filter")
`;

export interface BubblewrapCall {
  readonly bubblewrap: string;
  /** They refer to `checkDescriptors`. */
  readonly args: readonly string[];
  readonly expected: readonly string[];
  /** A descriptor of the caller that also receives bubblewrap's status. */
  readonly statusDescriptor: number | undefined;
  /** Descriptors that the program must not inherit. */
  readonly inherited: readonly number[];
}

/**
 * The arguments for a bash that starts bubblewrap and checks its mounts. `-p`: bash runs no code from the environment.
 */
export function checkedWords(call: BubblewrapCall): string[] {
  const { bubblewrap, args, expected, statusDescriptor: told, inherited } = call;
  const used: readonly number[] = Object.values(checkDescriptors);
  const closing = new Set([...inherited, ...(told === undefined ? [] : [told])]);
  const closed = [...closing].filter((descriptor) => !used.includes(descriptor));
  const start = `exec "$@" ${closed.map((descriptor) => `${descriptor}>&-`).join(" ")}`;
  const filter = [...(systemCallFilter() ?? [])].map(
    (byte) => `\\${byte.toString(8).padStart(3, "0")}`,
  );
  const own = [`${told ?? ""}`, filter.join("")];
  const settings = [`${expected.length}`, changedDuringSetup, ...own, ...expected];
  return ["-p", "-c", script + start, "bash", ...settings, bubblewrap, ...args];
}
