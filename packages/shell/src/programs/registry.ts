import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { administration } from "./administration.ts";
import { archives } from "./archives.ts";
import { containers } from "./containers.ts";
import { databases } from "./databases.ts";
import { editors } from "./editors.ts";
import { files } from "./files.ts";
import { git } from "./git.ts";
import { javascript } from "./javascript-packages.ts";
import { javascriptTools } from "./javascript-tools.ts";
import { machine } from "./system-information.ts";
import { nativeBuilds } from "./native-builds.ts";
import { network } from "./network.ts";
import { otherLanguages } from "./other-languages.ts";
import { python } from "./python.ts";
import { search } from "./search.ts";
import { text } from "./text.ts";
import { versionControl } from "./version-control.ts";
import { wrappers } from "./wrappers.ts";

const tables: readonly ProgramTable[] = [
  wrappers,
  files,
  text,
  editors,
  machine,
  search,
  archives,
  git,
  versionControl,
  javascript,
  javascriptTools,
  python,
  nativeBuilds,
  otherLanguages,
  network,
  containers,
  databases,
  administration,
];

/** All names with their specs. */
export const named = tables.flatMap((table) =>
  Object.entries(table).flatMap(([names, spec]) =>
    names.split("|").map((name) => [name, spec] as const),
  ),
);

const specs: ReadonlyMap<string, ProgramSpec> = new Map(named);

export function specOf(program: string): ProgramSpec | undefined {
  return specs.get(program) ?? specs.get(withoutVersion(program));
}

/** `python3.12` and `gcc-13` have the specs of `python3` and `gcc`. */
function withoutVersion(program: string): string {
  return program.replace(/(?<=[a-z]\d?)[-.][\d.]+$/, "");
}

/** Programs that run commands in their arguments. If these cannot be parsed, each word may begin a command. */
const runners: ReadonlySet<string> = new Set(
  (
    "sudo doas su runuser pkexec env command builtin exec eval trap coproc nohup time timeout nice ionice setsid stdbuf " +
    "xargs parallel find fd fdfind watch watchexec entr flock taskset chrt setarch unbuffer script ssh sshpass mosh " +
    "sh bash zsh dash ash ksh mksh fish csh tcsh busybox toybox chroot unshare nsenter bwrap firejail systemd-run strace " +
    "ltrace gdb expect at batch run-parts npx bunx pnpx uvx docker podman kubectl make " +
    "valgrind perf rlwrap caffeinate arch cgexec prlimit dbus-run-session dbus-launch numactl chpst proot fakeroot"
  ).split(" "),
);

export function isRunner(program: string): boolean {
  return runners.has(program);
}
