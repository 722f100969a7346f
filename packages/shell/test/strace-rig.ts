import { spawnSync } from "node:child_process";
import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { find, isRequired } from "../../../scripts/test-programs.cjs";
import { harmlessEnvironment, type Judge, openJudge } from "../src/index.ts";
import { type Fixture, hostileProject, ordinaryProject } from "./corpus.ts";
import { person, traceLine } from "./strace.ts";
import { violations } from "./violations.ts";

/** Without the folders of version managers, which contain scripts that find and run the program. */
const path = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);

export function isInstalled(program: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Every file with its size and times. A recursive `readdir` would follow links to parent folders. */
export function stateOf(folder: string): string[] {
  const states: string[] = [];
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const file = join(at, entry.name);
      // A name that is not valid UTF-8 cannot be read.
      const facts = lstatSync(file, { throwIfNoEntry: false });
      states.push(`${file} ${facts?.size} ${facts?.mtimeMs} ${facts?.ctimeMs} ${facts?.mode}`);
      if (entry.isDirectory()) pending.push(file);
    }
  }
  return states.sort();
}

/** Runs a few tasks at a time; results are in the order of the items. */
async function pooled<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}

const strace = find("strace");
const isUsable =
  strace !== null && spawnSync(strace, ["-o", "/dev/null", "/bin/true"]).status === 0;

/** Skipped without strace, except where the set-up installs it. */
export const isSkipped = !isUsable && !isRequired();

/** Runs lines under strace in the projects of the corpora, as an ordinary user. */
export class StraceRig implements AsyncDisposable {
  readonly ordinary: Fixture;
  readonly hostile: Fixture;
  readonly #judge: Judge;
  readonly #made: AsyncDisposableStack;

  private constructor(
    fixtures: readonly [Fixture, Fixture],
    judge: Judge,
    made: AsyncDisposableStack,
  ) {
    [this.ordinary, this.hostile] = fixtures;
    this.#judge = judge;
    this.#made = made;
  }

  static async open(): Promise<StraceRig> {
    if (!isUsable)
      throw new Error("strace is missing, or it may not trace: apt-get install strace");
    const made = new AsyncDisposableStack();
    const ordinary = made.use(await ordinaryProject());
    const hostile = made.use(await hostileProject());
    for (const { project } of person ? [ordinary, hostile] : [])
      spawnSync("chown", ["-hR", `${person?.uid}:${person?.gid}`, dirname(project)]);
    return new StraceRig([ordinary, hostile], await openJudge(), made);
  }

  judged(line: string, { project, home }: Fixture) {
    return this.#judge.judge(line, { cwd: project, roots: [project], home, path });
  }

  traced(line: string, { project, home }: Fixture) {
    const env = { PATH: path, HOME: home, LANG: "C.UTF-8", TERM: "dumb", ...harmlessEnvironment };
    return traceLine(line, { strace: strace ?? "", cwd: project, env });
  }

  /** The lines that need no permission. */
  async allowedOf(lines: readonly string[], fixture: Fixture): Promise<string[]> {
    const free: string[] = [];
    for (const line of new Set(lines))
      if ((await this.judged(line, fixture)).reasons.length === 0) free.push(line);
    return free;
  }

  /** The lines that did more than allowed, and how many started a program. */
  async execute(lines: readonly string[], fixture: Fixture) {
    const outcomes = await pooled(lines, async (line) => {
      const trace = await this.traced(line, fixture);
      const more = violations(await this.judged(line, fixture), trace, fixture.project);
      return { line, more, isStarted: trace.executed.length > 1 };
    });
    return {
      wrong: outcomes.flatMap(({ line, more }) => (more.length > 0 ? [{ line, more }] : [])),
      started: outcomes.filter(({ isStarted }) => isStarted).length,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#made.disposeAsync();
  }
}
