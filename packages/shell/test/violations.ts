import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isWithin, protectionOf, type Verdict } from "../src/index.ts";
import { helpersOf } from "../src/programs/helper-programs.ts";
import type { Trace } from "./strace.ts";

const isHelper = (program: string, file: string): boolean =>
  helpersOf(program).has(basename(file)) ||
  (program === "git" && /\/git-core\/git[\w-]*$/.test(file));

const byName = (programs: string, pattern: RegExp): Readonly<Record<string, RegExp>> =>
  Object.fromEntries(programs.split(" ").map((program) => [program, pattern]));

/** Files that a known program opens besides its arguments, or without reading them. */
const known: Readonly<Record<string, RegExp>> = {
  // Opens a file to trigger automounts.
  df: /./,
  // Searches the folders of PATH and of the system.
  whereis: /./,
  php: /^\/etc\/php\//,
  // Shown only with `e`, which needs permission.
  ps: /^\/proc\/\d+\/environ$/,
  lsof: /^\/$/,
  ...byName("dpkg dpkg-query update-alternatives", /^\/(?:etc|var\/lib)\/dpkg(?:\/|$)/),
  ...byName("ip ss", /^\/etc\/iproute2(?:\/|$)/),
};

/** What may be read outside the project. */
const readable: readonly RegExp[] = [
  // Programs, libraries, locales, time zones and data of packages.
  /^\/(?:usr|lib|lib64|bin|sbin|opt)(?:\/|$)/,
  // The loader's cache, names of users and hosts, and system-wide settings of programs.
  /^\/etc\/(?:ld\.so\.(?:cache|preload)|locale\.alias|localtime|timezone|passwd|group|nsswitch\.conf|host\.conf|hosts|hostname|resolv\.conf|magic(?:\.\w+)?|gitconfig|inputrc|mtab|fstab|bash\.bashrc|gai\.conf|services|protocols|machine-id|lsb-release|os-release|debian_version|terminfo\/.*|alternatives\/.*|ssl\/.*|pip\.conf)$/,
  /^\/dev\/(?:null|zero|tty|urandom|random|pts(?:\/\d+)?)$/,
  // The kernel's view of the machine and of processes, without their memory and environment.
  /^\/proc(?:\/(?:\d+|self)(?:\/task\/\d+)?)?(?:\/(?!environ$|mem$)[\w-]+)*$/,
  /^\/proc\/(?:sys|net|\d+\/net|\d+\/fd|\d+\/task\/\d+\/fd)\/[\w/.-]+$/,
  /^\/sys\/(?:dev|devices|fs\/cgroup|kernel\/mm|module|class|block)(?:\/|$)/,
  // Who is logged in, for `who` and `uptime`.
  /^\/(?:var\/)?run\/(?:utmp|systemd\/.*)$/,
  // Pipes, sockets, namespaces and deleted files have no path.
  /^(?:[a-z_]+|\/memfd):/,
  // The nodes of process substitution.
  /^\/dev\/fd\/\d+$/,
];

/** sort writes temporary files if its input does not fit into memory, and tac if it comes from a pipe. */
const temporary = /^\/tmp\/(sort|tac)\w+$/;

/** Devices without content. */
const streams = /^\/(?:dev\/(?:null|tty|stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** Local sockets: netlink, the name service cache, and a check for IPv6. */
const local =
  /^AF_NETLINK|^AF_UNIX, sun_path="\/(?:var\/)?run\/nscd\/socket"|^AF_INET6, sin6_port=htons\(0\).*"::1"/;

function programsOf({ facts }: Verdict): ReadonlySet<string> {
  const named = facts.commands.filter(({ role }) => role !== "guess");
  return new Set(["bash", ...named.flatMap(({ words }) => words.slice(0, 1))]);
}

/** A search may read npm settings without a token. */
const isCredential = (project: string, file: string): boolean =>
  isWithin(project, file) &&
  protectionOf(file)?.kind === "credential" &&
  !(basename(file) === ".npmrc" && !readFileSync(file, "utf8").includes("_auth"));

/** What a line did beyond its verdict. */
export function violations(verdict: Verdict, trace: Trace, project: string): string[] {
  const programs = programsOf(verdict);
  const isNamed = (file: string) =>
    programs.has(basename(file)) || [...programs].some((name) => isHelper(name, file));
  const installed = trace.executed.map((file) => installFolder(file));
  const isTemporary = (file: string) => programs.has(temporary.exec(file)?.[1] ?? "");
  const isKnown = (file: string) => [...programs].some((name) => known[name]?.test(file));
  const mayRead = (file: string) =>
    isWithin(project, file) ||
    readable.some((pattern) => pattern.test(file)) ||
    installed.some((folder) => folder !== null && isWithin(folder, file)) ||
    isTemporary(file);
  const mayChange = (file: string) => streams.test(file) || isTemporary(file);
  const found = [
    ...trace.executed
      .filter((file) => !isNamed(file) || isWithin(project, file))
      .map((file) => `runs ${file}`),
    ...trace.changed.filter((change) => !mayChange(change.replace(/^\w+ /, ""))),
    ...trace.connected.filter((address) => !local.test(address)).map((one) => `connects to ${one}`),
    ...trace.read
      .filter((file) => (!mayRead(file) || isCredential(project, file)) && !isKnown(file))
      .map((file) => `reads ${file}`),
  ];
  return [...new Set(found)];
}

/** The folder of a program that was installed without a package manager; null if there is none. */
function installFolder(program: string): string | null {
  try {
    const folder = dirname(realpathSync(program));
    return basename(folder) === "bin" && folder.split("/").length > 4 ? dirname(folder) : null;
  } catch {
    return null;
  }
}
