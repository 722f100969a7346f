import { isWithin } from "@landline/shell";
import type { GuardedFiles } from "./guarded-files.ts";
import { checkDescriptors } from "./mount-check.ts";
import type { ProgramCall, SandboxPolicy } from "./policy.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** The input for the arguments of bwrap. All paths exist. */
export interface Layout extends Pick<SandboxPolicy, "network" | "unset"> {
  readonly call: ProgramCall;
  /** Folders with personal files, including the home folder. In the sandbox they contain only the other mounts. */
  readonly homes: readonly string[];
  readonly write: readonly Mount[];
  readonly read: readonly Mount[];
  /** Each file is guarded at every path at which the mounts above show it. */
  readonly guarded: Readonly<Record<keyof GuardedFiles, readonly Mount[]>>;
  /** Paths in protected places that a person opened for writing. */
  readonly opened: readonly Mount[];
  /** System files and folders that the program must not read. */
  readonly hidden: readonly string[];
  /** The real paths in `guarded.credentials` and `hidden` that are folders. */
  readonly folders: ReadonlySet<string>;
  /** A file and a folder without read permission. */
  readonly unreadable: { readonly file: string; readonly folder: string };
  /** How the program reaches the proxy. Set if the network is a list of hosts. */
  readonly proxied?: ProxiedNetwork;
}

export interface ProxiedNetwork {
  /** Files that are mounted below `ownFolder`. */
  readonly files: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A source path and its mount point in the sandbox. They differ if a link leads to the source. */
export interface Mount {
  readonly from: string;
  readonly at: string;
}

/** Sockets of services and temporary files of other programs. Inside, these folders are empty and writable. */
export const emptied: readonly string[] = ["/run", "/tmp", "/var/tmp"];

/** The mount point for Landline's own files. bwrap creates all of `/dev`, so this hides no real file. */
export const ownFolder = "/dev/landline";

/** Root can write to them even in a user namespace, and some of them name programs that the kernel runs outside. */
const kernelSettings = ["/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr"];

/** Unset, because they may name folders that do not exist in the sandbox. `/tmp` does. */
const temporary = ["TMPDIR", "TMP", "TEMP"];

/**
 * Returns the arguments for bwrap. Later mounts cover earlier ones, so the order is from the whole system to single
 * files. The file system is read-only, `/run` and `/tmp` are empty, and the process, network and IPC namespaces are
 * private.
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
    // A write to an empty home folder would be lost, so it must fail.
    ...homes.map((home) => ["--remount-ro", home]),
    ["--chdir", call.cwd],
    ["--", call.file, ...call.args],
  ];
  return options.flat();
}

export interface FileMount extends Mount {
  readonly option: "--bind" | "--ro-bind";
}

/** The mounts over the system and the empty home folders, in order, with one mount for each mount point. */
export function fileMounts(layout: Layout): FileMount[] {
  const { read, write, guarded, opened } = layout;
  const covers = guarded.credentials.map(({ from, at }) => ({ from: coverFor(from, layout), at }));
  const covered = covers.filter(({ from }) => from === layout.unreadable.folder);
  const all = [
    ...mountedBy("--ro-bind", read),
    ...mountedBy("--bind", write),
    // Mounted because a mount point cannot be renamed.
    ...mountedBy("--bind", guarded.pinned),
    ...mountedBy("--ro-bind", guarded.protected),
    ...mountedBy("--bind", opened),
    ...mountedBy("--ro-bind", covers),
  ];
  // A later mount covers an earlier one at the same place.
  const last = new Map(all.map((mount) => [mount.at, mount]));
  // Nothing below a covered folder is reachable.
  const isReachable = ({ at }: Mount) =>
    !covered.some((folder) => folder.at !== at && isWithin(folder.at, at));
  // A folder is mounted before the paths below it.
  return [...last.values()]
    .filter(isReachable)
    .toSorted((one, other) => one.at.length - other.at.length);
}

function mountedBy(option: FileMount["option"], mounts: readonly Mount[]): FileMount[] {
  return mounts.map(({ from, at }) => ({ option, from, at }));
}

/** The unreadable file or folder to mount over a path. */
function coverFor(path: string, { folders, unreadable }: Layout): string {
  return folders.has(path) ? unreadable.folder : unreadable.file;
}
