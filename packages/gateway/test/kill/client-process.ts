import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import type { ClientOptions } from "./client.ts";

const program = path.join(import.meta.dirname, "client.ts");

/** One client as a process; it can be killed, and resumes at its cursor. */
export class ClientProcess {
  readonly #options: Omit<ClientOptions, "seed">;
  #child: ChildProcess | null = null;
  stderr = "";

  constructor(options: Omit<ClientOptions, "seed">) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get after(): number {
    return this.#options.after;
  }

  start(seed: number): void {
    const options: ClientOptions = { ...this.#options, seed };
    const args = ["--conditions=@landline/source", program, JSON.stringify(options)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (text: Buffer) => (this.stderr += text.toString()));
    this.#child = child;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** The received events, over all its processes. */
  get seen(): string[] {
    return this.#lines("seen");
  }

  get acknowledged(): string[] {
    return this.#lines("acknowledged");
  }

  get faults(): string[] {
    return this.#lines("faults");
  }

  get isQuiet(): boolean {
    return fs.existsSync(this.#path("quiet"));
  }

  #lines(name: string): string[] {
    const file = this.#path(name);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  }

  #path(name: string): string {
    return path.join(this.#options.folder, `${this.#options.name}.${name}`);
  }
}
