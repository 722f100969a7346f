import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startModelServer, type ModelRequest, type Reply } from "@landline/testing";
import { describe, expect, onTestFailed, test } from "vitest";
import { lives, marked } from "../agents/test-agent-host.ts";
import { acpx } from "./acpx.ts";
import { landline } from "./landline.ts";
import { folderOf, isInstalled } from "./real-agent.ts";

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** acpx with its own home, and the built-in agent with a scripted model. */
class Desk implements AsyncDisposable {
  readonly project: string;
  readonly asked: readonly ModelRequest[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #agent: string;
  readonly #mark: string;
  readonly #opened: AsyncDisposable;

  private constructor(parts: {
    project: string;
    asked: readonly ModelRequest[];
    environment: NodeJS.ProcessEnv;
    agent: string;
    mark: string;
    opened: AsyncDisposable;
  }) {
    this.project = parts.project;
    this.asked = parts.asked;
    this.#environment = parts.environment;
    this.#agent = parts.agent;
    this.#mark = parts.mark;
    this.#opened = parts.opened;
  }

  static async open(lines: readonly (Reply | string)[]): Promise<Desk> {
    if (!isInstalled(acpx)) throw new Error("acpx is not installed: npm run test:agents -- acpx");
    await using opened = new AsyncDisposableStack();
    const home = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), "landline-acpx-")));
    opened.defer(() => fs.rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const project = path.join(home, "project");
    await fs.mkdir(project);
    const asked: ModelRequest[] = [];
    const script = (request: ModelRequest) => {
      if (request.tools.length === 0) return "A title";
      asked.push(request);
      return lines[asked.length - 1] ?? "The script is over.";
    };
    const server = opened.use(await startModelServer({ script }));
    const launch = await landline.launch({ home, modelUrl: server.url, installed: (file) => file });
    const mark = randomUUID();
    const environment = {
      ...process.env,
      ...launch.env,
      HOME: home,
      XDG_DATA_HOME: path.join(home, ".local/share"),
      XDG_CONFIG_HOME: path.join(home, ".config"),
      XDG_CACHE_HOME: path.join(home, ".cache"),
      LANDLINE_TEST_MARK: mark,
    };
    const agent = [launch.command, ...launch.args].map((word) => JSON.stringify(word)).join(" ");
    return new Desk({ project, asked, environment, agent, mark, opened: opened.move() });
  }

  async run(...words: string[]): Promise<Ended> {
    const script = path.join(folderOf(acpx), "node_modules/acpx/dist/cli.js");
    const args = [script, "--agent", this.#agent, "--cwd", this.project, "--ttl", "1", ...words];
    const child = spawn(process.execPath, args, {
      cwd: this.project,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    onTestFailed(() => console.error(words, code, output.slice(-6_000)));
    return { code, output };
  }

  /** All processes of acpx have ended: it keeps an agent for a while. */
  async untilQuiet(): Promise<void> {
    while (marked(this.#mark).some(lives)) await delay(50);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.untilQuiet();
    await this.#opened[Symbol.asyncDispose]();
  }
}

const edit: Reply = {
  parts: [
    {
      type: "tool-call",
      name: "edit",
      arguments: { filePath: "poem.txt", oldString: "red", newString: "blue" },
    },
  ],
};

describe(`acpx ${acpx.version} with the built-in agent`, () => {
  test("a turn with an allowed edit", async () => {
    await using desk = await Desk.open([edit, "They are blue now."]);
    const file = path.join(desk.project, "poem.txt");
    await fs.writeFile(file, "Roses are red\n");
    const how = ["--approve-all", "--format", "json"];
    const { code, output } = await desk.run(...how, "exec", "Make the roses blue");
    expect(code).toBe(0);
    expect(await fs.readFile(file, "utf8")).toBe("Roses are blue\n");
    const messages = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { method?: string; result?: { stopReason?: string } });
    const methods = messages.flatMap(({ method }) => method ?? []);
    expect(methods).toContain("session/request_permission");
    // The client wrote the file, because it offers to.
    expect(methods).toContain("fs/write_text_file");
    expect(messages.some(({ result }) => result?.stopReason === "end_turn")).toBe(true);
  });

  test("a turn with a rejected edit", async () => {
    await using desk = await Desk.open([edit, "Then they stay red."]);
    const file = path.join(desk.project, "poem.txt");
    await fs.writeFile(file, "Roses are red\n");
    const { output } = await desk.run("--deny-all", "--no-fs", "exec", "Make the roses blue");
    expect(await fs.readFile(file, "utf8")).toBe("Roses are red\n");
    expect(output).toContain("Then they stay red.");
    expect(desk.asked[1]?.toolResults[0]?.text).toContain("The person refused this.");
  });

  test("a command in a terminal of the client", async () => {
    const bash: Reply = {
      parts: [
        {
          type: "tool-call",
          name: "bash",
          arguments: { command: "echo $((6 * 7)) > answer.txt; cat answer.txt", description: "x" },
        },
      ],
    };
    await using desk = await Desk.open([bash, "It is in the file."]);
    const { code } = await desk.run("--approve-all", "exec", "What is six times seven?");
    expect(code).toBe(0);
    expect(await fs.readFile(path.join(desk.project, "answer.txt"), "utf8")).toBe("42\n");
    expect(desk.asked[1]?.toolResults[0]?.text).toContain("42");
  });

  test("a session continues in another process", async () => {
    await using desk = await Desk.open(["I will remember it.", "It is 4711."]);
    expect((await desk.run("sessions", "new")).code).toBe(0);
    expect(await desk.run("prompt", "The number is 4711")).toMatchObject({ code: 0 });
    await desk.untilQuiet();
    const { code, output } = await desk.run("prompt", "Which number?");
    expect(code).toBe(0);
    expect(output).toContain("It is 4711.");
    expect(desk.asked[1]?.messages.map(({ text }) => text)).toEqual([
      "The number is 4711",
      "I will remember it.",
      "Which number?",
    ]);
  });
});
