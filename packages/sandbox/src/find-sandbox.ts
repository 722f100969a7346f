import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { findOnPath } from "@landline/system/find-command";
import { bubblewrapArguments, fileMounts } from "./bubblewrap.ts";
import { layoutFor } from "./confinement.ts";
import { changedDuringSetup, checkedWords, expectedMounts } from "./mount-check.ts";
import { permittedUse } from "./permitted-use.ts";
import type { ConfinedCall, ProgramCall, SandboxFolders, SandboxPolicy } from "./policy.ts";
import { openPortNetwork, openSocketNetwork, type OpenNetwork } from "./proxied-network.ts";
import { seatbeltArguments } from "./seatbelt.ts";

/** Confines programs with a mechanism of the operating system. */
export interface Sandbox {
  readonly name: "bubblewrap" | "sandbox-exec";
  /** Returns the call that runs `call` confined, with all its child processes. The caller must close it. */
  confine(call: ProgramCall, policy: SandboxPolicy): Promise<ConfinedCall>;
}

export type FoundSandbox =
  | { readonly sandbox: Sandbox }
  /** Why there is none, and how to fix it: two sentences. */
  | { readonly sandbox: null; readonly reason: string };

const run = promisify(execFile);
/** Enough for a very busy machine to run one program. */
const probeMsMax = 10_000;

/**
 * Looks for a working sandbox by running a program in it. Rejects if that takes too long or fails for another reason:
 * the result is then unknown, and nothing may run unconfined because of it.
 */
export function findSandbox(
  folders: SandboxFolders,
  { probeMs = probeMsMax }: { readonly probeMs?: number } = {},
): Promise<FoundSandbox> {
  switch (process.platform) {
    case "linux":
      return findBubblewrap(folders, probeMs);
    case "darwin":
      return Promise.resolve({ sandbox: seatbelt(folders) });
    default:
      return Promise.resolve({
        sandbox: null,
        reason: "Programs cannot be confined on this system. Use Linux or macOS.",
      });
  }
}

async function findBubblewrap(folders: SandboxFolders, probeMs: number): Promise<FoundSandbox> {
  const programs = findPrograms([]);
  if ("missing" in programs) return { sandbox: null, reason: notInstalled(programs.missing) };
  const inherited = await inheritedDescriptors();
  const confine: Sandbox["confine"] = async (call, policy) => {
    const { network } = policy;
    const found = findPrograms(policy.write);
    if ("missing" in found) throw new Error(notInstalled(found.missing));
    const { bubblewrap, bash } = found;
    const isList = typeof network === "object";
    const layout = await layoutFor(call, policy, folders, isList ? [process.execPath] : []);
    const expected = await expectedMounts(fileMounts(layout));
    const proxied = isList ? await openSocketNetwork(network, folders.data) : null;
    const started = proxied?.through(call) ?? call;
    const args = bubblewrapArguments({ ...layout, call: started, ...(proxied && { proxied }) });
    const { cwd, statusDescriptor } = call;
    const words = checkedWords({ bubblewrap, args, expected, statusDescriptor, inherited });
    const [withheld, permits] = [policy.unset ?? [], permittedUse(layout)];
    return owning({ file: bash, args: words, cwd, withheld, permits }, proxied);
  };
  try {
    const call = { file: "/bin/sh", args: ["-c", "exit 0"], cwd: "/" };
    const probe = await confine(call, { write: [], caches: [], read: [], network: "off" });
    await run(probe.file, [...probe.args], { timeout: probeMs });
  } catch (error) {
    const { killed, code } = error as { killed?: boolean; code?: unknown };
    if (killed === true)
      throw new Error(`bubblewrap did not run a program within ${probeMs} ms`, { cause: error });
    // Only a failure of bubblewrap itself means that it does not work. A full disk, for example, does not.
    if (typeof code !== "number") throw error;
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    if (said.includes(changedDuringSetup)) throw new Error(said, { cause: error });
    return { sandbox: null, reason: `bubblewrap does not work here: ${said} ${namespaceHelp}` };
  }
  return { sandbox: { name: "bubblewrap", confine } };
}

type Programs = { readonly bubblewrap: string; readonly bash: string };

/** Ignores folders that a program of the session can change. */
function findPrograms(roots: readonly string[]): Programs | { readonly missing: string } {
  const [bubblewrap, bash] = ["bwrap", "bash"].map((name) => findOnPath(name, process.env, roots));
  if (bubblewrap && bash) return { bubblewrap, bash };
  return { missing: bubblewrap ? "bash" : "bubblewrap" };
}

function notInstalled(missing: string): string {
  return `${missing} is not installed. Install the package ${missing}.`;
}

/**
 * Files and folders that this process inherited. It would pass them on, and they give access to files outside the
 * sandbox. Node closes the descriptors that it opened itself.
 */
async function inheritedDescriptors(): Promise<number[]> {
  const numbers = (await readdir("/proc/self/fdinfo")).map(Number).filter((number) => number > 2);
  const passedOn = await Promise.all(
    numbers.map(async (number) => {
      const info = await readFile(`/proc/self/fdinfo/${number}`, "utf8").catch(() => "");
      const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & closedOnStart) === 0;
    }),
  );
  return numbers.filter((_, index) => passedOn[index]);
}

/** O_CLOEXEC, which Node does not export. */
const closedOnStart = 0o2000000;

const namespaceHelp =
  "Allow user namespaces for bwrap (on Ubuntu an AppArmor profile, in a container its security options).";

/** Written from the documentation of the profile language. Not yet tested on macOS. */
function seatbelt(folders: SandboxFolders): Sandbox {
  return {
    name: "sandbox-exec",
    async confine(call, policy) {
      const { network } = policy;
      const layout = await layoutFor(call, policy, folders);
      const proxied = typeof network === "object" ? await openPortNetwork(network) : null;
      const args = seatbeltArguments(layout, proxied);
      const [withheld, permits] = [policy.unset ?? [], permittedUse(layout)];
      const file = "/usr/bin/sandbox-exec";
      return owning({ file, args, cwd: call.cwd, withheld, permits }, proxied);
    },
  };
}

function owning(
  call: Omit<ConfinedCall, "deniedHosts" | "close">,
  network: OpenNetwork | null,
): ConfinedCall {
  return {
    ...call,
    deniedHosts: () => network?.deniedHosts() ?? [],
    close: async () => network?.close(),
  };
}
