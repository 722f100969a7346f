import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findSandbox, type ProgramCall, type SandboxPolicy } from "../src/index.ts";

const run = promisify(execFile);

/** A home folder with a project in which lines run confined. */
export class ConfinedProject implements AsyncDisposable {
  readonly top: string;
  readonly home: string;
  readonly project: string;

  private constructor(top: string) {
    this.top = top;
    this.home = join(top, "home");
    this.project = join(this.home, "project");
  }

  /** With these files, by their paths below the home folder. */
  static async make(files: Readonly<Record<string, string>>): Promise<ConfinedProject> {
    const made = new ConfinedProject(
      await realpath(await mkdtemp(join(tmpdir(), "landline-layout-"))),
    );
    await mkdir(made.project, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      const file = join(made.home, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return made;
  }

  at(...names: string[]): string {
    return join(this.project, ...names);
  }

  /** The output of a shell line, both streams in order. */
  async run(
    line: string,
    changed: Partial<SandboxPolicy> = {},
    changedCall: Partial<ProgramCall> = {},
  ): Promise<string> {
    const { sandbox } = await findSandbox({ home: this.home, data: join(this.top, "data") });
    if (sandbox === null) throw new Error("There is no sandbox.");
    const cwd = this.project;
    const policy = { write: [cwd], caches: [], read: [], network: "off", ...changed } as const;
    const call = { file: "/bin/bash", args: ["-c", `exec 2>&1; ${line}`], cwd, ...changedCall };
    const { file, args } = await sandbox.confine(call, policy);
    const env = { ...process.env, HOME: this.home, LC_ALL: "C" };
    const { stdout, stderr } = await run(file, [...args], { cwd, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Paths in it may be too long for Node.
    await run("rm", ["-rf", this.top]);
  }
}
