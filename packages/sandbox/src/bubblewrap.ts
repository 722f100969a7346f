import { isWithin } from "@landline/shell";
import type { GuardedFiles } from "./guarded-files.ts";
import { checkDescriptors } from "./mount-check.ts";
import type { ProgramCall, SandboxPolicy } from "./policy.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** Everything that the arguments are made of. Only paths that exist. */
export interface Layout extends Pick<SandboxPolicy, "network" | "unset"> {
  readonly call: ProgramCall;
  /** Folders of people's own files, the home folder included: empty inside, but for what is shown. */
  readonly homes: readonly string[];
  readonly write: readonly Mount[];
  readonly read: readonly Mount[];
  /** At each of the names that the mounts above give them. */
  readonly guarded: Readonly<Record<keyof GuardedFiles, readonly Mount[]>>;
  /** In protected places, and can be changed all the same: a person opened it. */
  readonly opened: readonly Mount[];
  /** Files and folders of the system that must not be read. */
  readonly hidden: readonly string[];
  /** Folders among `guarded.credentials` and `hidden`, by their real names. */
  readonly folders: ReadonlySet<string>;
  /** A file and a folder that nobody may read. */
  readonly unreadable: { readonly file: string; readonly folder: string };
  /** What the way to the proxy needs, where the network is a list of hosts. */
  readonly proxied?: ProxiedNetwork;
}

export interface ProxiedNetwork {
  /** Files that are seen below `ownFolder`. */
  readonly files: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Where something is, and where it is seen inside. They differ when a link leads there. */
export interface Mount {
  readonly from: string;
  readonly at: string;
}

/** Sockets of services, and temporary files of others: empty inside, and writable. */
export const emptied: readonly string[] = ["/run", "/tmp", "/var/tmp"];

/** For files of ours. bwrap makes all of `/dev`, so nothing of the machine is covered. */
export const ownFolder = "/dev/landline";

/** Root may write to them in a user namespace too, and some name programs that the kernel runs outside. */
const kernelSettings = ["/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr"];

/** They may name folders that are not there inside; `/tmp` is. */
const temporary = ["TMPDIR", "TMP", "TEMP"];

/**
 * The arguments for bwrap. Later mounts cover earlier ones, so they go from the whole system to single files. The file
 * system is read-only, `/run` (sockets of services) and `/tmp` are empty, and the processes, the network and the
 * shared memory are the sandbox's own.
 */
export function bubblewrapArguments(layout: Layout): string[] {
  const { call, homes, hidden, proxied } = layout;
  const options: readonly (readonly string[])[] = [
    ["--unshare-all"],
    layout.network === "on" ? ["--share-net"] : [],
    call.leavesBackground === true ? [] : ["--die-with-parent"],
    call.statusDescriptor === undefined ? [] : ["--new-session"],
    ["--json-status-fd", `${checkDescriptors.status}`],
    ["--block-fd", `${checkDescriptors.release}`],
    systemCallFilter() === null ? [] : ["--seccomp", `${checkDescriptors.filter}`],
    ["--cap-drop", "ALL"],
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ...(proxied?.files ?? []).map(({ from, at }) => ["--ro-bind", from, at]),
    ...kernelSettings.map((path) => ["--ro-bind-try", path, path]),
    ...emptied.map((folder) => ["--tmpfs", folder]),
    ...[...temporary, ...(layout.unset ?? [])].map((name) => ["--unsetenv", name]),
    ...Object.entries(proxied?.environment ?? {}).map(([name, value]) => ["--setenv", name, value]),
    ...homes.map((home) => ["--tmpfs", home]),
    ...hidden.map((path) => ["--ro-bind", coverFor(path, layout), path]),
    ...fileMounts(layout).map(({ option, from, at }) => [option, from, at]),
    // A write to a home folder that would be lost must fail.
    ...homes.map((home) => ["--remount-ro", home]),
    ["--chdir", call.cwd],
    ["--", call.file, ...call.args],
  ];
  return options.flat();
}

export interface FileMount extends Mount {
  readonly option: "--bind" | "--ro-bind";
}

/** What is mounted over the system and the empty home folders, in order, each place once. */
export function fileMounts(layout: Layout): FileMount[] {
  const { read, write, guarded, opened } = layout;
  const covers = guarded.credentials.map(({ from, at }) => ({ from: coverFor(from, layout), at }));
  const covered = covers.filter(({ from }) => from === layout.unreadable.folder);
  const all = [
    ...mountedBy("--ro-bind", read),
    ...mountedBy("--bind", write),
    // A mount cannot be renamed.
    ...mountedBy("--bind", guarded.pinned),
    ...mountedBy("--ro-bind", guarded.protected),
    ...mountedBy("--bind", opened),
    ...mountedBy("--ro-bind", covers),
  ];
  // A later mount covers an earlier one at the same place.
  const last = new Map(all.map((mount) => [mount.at, mount]));
  // Nothing below a covered folder can be reached.
  const isReachable = ({ at }: Mount) =>
    !covered.some((folder) => folder.at !== at && isWithin(folder.at, at));
  // A folder is mounted before what is below it.
  return [...last.values()]
    .filter(isReachable)
    .toSorted((one, other) => one.at.length - other.at.length);
}

function mountedBy(option: FileMount["option"], mounts: readonly Mount[]): FileMount[] {
  return mounts.map(({ from, at }) => ({ option, from, at }));
}

/** What nobody may read, to be mounted over a path. */
function coverFor(path: string, { folders, unreadable }: Layout): string {
  return folders.has(path) ? unreadable.folder : unreadable.file;
}
