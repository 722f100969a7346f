import { benchFile, Child, source } from "./child-process.ts";
import { marksOf, type Load } from "./load.ts";
import type { PeerSession } from "./peers/peer.ts";
import type { ViewerJob, ViewerReport } from "./viewer-plan.ts";

/** The viewers of a run, in one process beside the measured one. */
export class Viewers implements AsyncDisposable {
  readonly #child: Child;
  readonly #next: () => Promise<unknown>;
  readonly #sessions: readonly PeerSession[];
  readonly #phases: readonly Load[];
  #phase = 0;

  private constructor(child: Child, sessions: readonly PeerSession[], phases: readonly Load[]) {
    this.#child = child;
    this.#next = child.messages();
    this.#sessions = sessions;
    this.#phases = phases;
  }

  /** Attaches viewers to each session. */
  static async attach(
    sessions: readonly PeerSession[],
    phases: readonly Load[],
    { viewers = 1, stalled = 0 } = {},
  ): Promise<Viewers> {
    const job: ViewerJob = {
      viewers: sessions.flatMap((session) => session.viewers(viewers, phases)),
      expected: phases.map(marksOf),
      timed: phases.some(({ kind }) => kind === "paced"),
      stalled,
    };
    const child = new Child(process.execPath, [source, benchFile("viewers-process.ts")]);
    const attached = new Viewers(child, sessions, phases);
    child.process.stdin?.write(`${JSON.stringify(job)}\n`);
    await attached.#next();
    return attached;
  }

  /** Runs the next phase. */
  async go(): Promise<ViewerReport> {
    const load = this.#phases[this.#phase++];
    this.#child.process.stdin?.write("go\n");
    if (load) for (const session of this.#sessions) session.prompt?.(load);
    return (await this.#next()) as ViewerReport;
  }

  /** Resumes the viewers that stopped reading, until they have everything. */
  async resume(): Promise<ViewerReport> {
    this.#child.process.stdin?.write("resume\n");
    return (await this.#next()) as ViewerReport;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]();
  }
}
