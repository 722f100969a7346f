import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFailed } from "vitest";
import { lives, marked } from "../agents/test-agent-host.ts";
import { acpx } from "./acpx.ts";
import { folderOf, isInstalled } from "./real-agent.ts";

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export interface AcpxPlace {
  /** The command and arguments of the agent. */
  readonly agent: readonly string[];
  readonly home: string;
  readonly project: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** acpx with its own home and one agent. It keeps an agent for a while after a command has ended. */
export class AcpxClient implements AsyncDisposable {
  readonly #place: AcpxPlace;
  readonly #mark = randomUUID();

  constructor(place: AcpxPlace) {
    if (!isInstalled(acpx)) throw new Error("acpx is not installed: npm run test:agents -- acpx");
    this.#place = place;
  }

  async run(...words: string[]): Promise<Ended> {
    const { agent, home, project, environment } = this.#place;
    const script = path.join(folderOf(acpx), "node_modules/acpx/dist/cli.js");
    const command = agent.map((word) => JSON.stringify(word)).join(" ");
    const args = [script, "--agent", command, "--cwd", project, "--ttl", "1", ...words];
    const child = spawn(process.execPath, args, {
      cwd: project,
      env: {
        ...process.env,
        ...environment,
        HOME: home,
        XDG_DATA_HOME: path.join(home, ".local/share"),
        XDG_CONFIG_HOME: path.join(home, ".config"),
        XDG_CACHE_HOME: path.join(home, ".cache"),
        LANDLINE_TEST_MARK: this.#mark,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    onTestFailed(() => console.error(words, code, output.slice(-6_000)));
    return { code, output };
  }

  /** All processes of acpx have ended. */
  async untilQuiet(): Promise<void> {
    while (marked(this.#mark).some(lives)) await delay(50);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.untilQuiet();
  }
}
