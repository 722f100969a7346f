import { execFile } from "node:child_process";
import { access, appendFile, cp, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { openJudge } from "../src/verdict.ts";
import type { Fixture } from "./project-fixture.ts";
import { gitEnvironment } from "./git-environment.ts";

const run = promisify(execFile);

/** A copy of a project into which settings and files are put that run code. What runs makes the file `ran`. */
export class PlantedRepository {
  readonly folder: string;
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  readonly ran: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.project = join(folder, "project");
    this.outside = join(folder, "outside");
    this.home = join(folder, "home");
    this.ran = join(this.outside, "ran");
  }

  static async copyOf(original: Fixture): Promise<PlantedRepository> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "landline-repository-")));
    await cp(dirname(original.project), folder, { recursive: true, preserveTimestamps: true });
    return new PlantedRepository(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async git(...args: string[]): Promise<string> {
    return this.gitIn(this.project, ...args);
  }

  async gitIn(cwd: string, ...args: string[]): Promise<string> {
    return (await run("git", args, { cwd, env: gitEnvironment(this.home) })).stdout;
  }

  /** Runs a line as the agent does. The exit status does not matter. */
  async runLine(line: string, added: Readonly<Record<string, string>>): Promise<void> {
    const env = { ...gitEnvironment(this.home), ...added };
    await run("sh", ["-c", line], { cwd: this.project, env }).catch(() => null);
  }

  async hasRun(): Promise<boolean> {
    return access(this.ran).then(
      () => true,
      () => false,
    );
  }

  async isAllowed(line: string): Promise<boolean> {
    const { project, home } = this;
    const judge = await openJudge(home);
    const { reasons } = await judge.judge(line, { cwd: project, roots: [project], home });
    return reasons.length === 0;
  }

  evil(): string {
    return `touch '${this.ran}'; cat`;
  }

  async writeConfig(text: string): Promise<void> {
    await appendFile(join(this.project, ".git/config"), text);
  }

  async writeScript(path: string): Promise<void> {
    await writeFile(path, `#!/bin/sh\n${this.evil()}\n`, { mode: 0o755 });
  }

  async attributes(text: string): Promise<void> {
    await writeFile(join(this.project, ".gitattributes"), `${text}\n`);
  }

  /** A file that looks changed, so that git reads it again. */
  async touchFile(): Promise<void> {
    await writeFile(join(this.project, "src/b.ts"), "export const b = 3;\n");
  }

  /** A file whose times changed alone, so that git writes its list of files. */
  async age(file: string): Promise<void> {
    await utimes(join(this.project, file), 1_000_000_000, 1_000_000_000);
  }

  async bareRepository(path: string): Promise<void> {
    await this.git("clone", "--quiet", "--bare", ".", path);
    await this.gitIn(path, "config", "core.fsmonitor", this.evil());
    await this.gitIn(path, "config", "diff.external", this.evil());
    await this.gitIn(path, "config", "core.bare", "false");
    await this.gitIn(path, "config", "core.worktree", ".");
  }

  async signedHead(): Promise<void> {
    const text = await this.git("cat-file", "commit", "HEAD");
    const signature = ["-----BEGIN PGP SIGNATURE-----", "", "x", "-----END PGP SIGNATURE-----"];
    const file = join(this.outside, "commit");
    await writeFile(file, text.replace("\n\n", `\ngpgsig ${signature.join("\n ")}\n\n`));
    const hash = await this.git("hash-object", "-t", "commit", "-w", file);
    await this.git("update-ref", "HEAD", hash.trim());
  }

  /** A submodule whose repository is inside its folder. */
  async embeddedSubmodule(): Promise<void> {
    await this.git("clone", "--quiet", ".", "sub");
    await this.git("add", "sub");
    await this.git("commit", "--quiet", "--message", "Add a submodule");
    await writeFile(join(this.project, "sub/src/b.ts"), "export const b = 9;\n");
  }

  /** A partial clone with a missing object. */
  async partialClone(): Promise<void> {
    const hash = (await this.git("rev-parse", "HEAD:README.md")).trim();
    await this.git("config", "core.repositoryFormatVersion", "1");
    await this.git("config", "extensions.partialClone", "origin");
    await this.git("config", "remote.origin.url", this.project);
    await this.git("config", "remote.origin.promisor", "true");
    await this.git("config", "remote.origin.uploadpack", `touch '${this.ran}' #`);
    await rm(join(this.project, ".git/objects", hash.slice(0, 2), hash.slice(2)));
  }
}
