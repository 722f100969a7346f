import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startModelServer, type ModelRequest, type Reply } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { acpx } from "./acpx.ts";
import { AcpxClient } from "./acpx-client.ts";
import { landline } from "./landline.ts";

/** acpx, and the built-in agent with a scripted model. */
class Desk implements AsyncDisposable {
  readonly project: string;
  readonly asked: readonly ModelRequest[];
  readonly acpx: AcpxClient;
  readonly #opened: AsyncDisposable;

  private constructor(
    client: AcpxClient,
    parts: { project: string; asked: readonly ModelRequest[]; opened: AsyncDisposable },
  ) {
    this.acpx = client;
    this.project = parts.project;
    this.asked = parts.asked;
    this.#opened = parts.opened;
  }

  static async open(lines: readonly (Reply | string)[]): Promise<Desk> {
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
    const agent = [launch.command, ...launch.args];
    const client = new AcpxClient({ agent, home, project, environment: launch.env });
    opened.use(client);
    return new Desk(client, { project, asked, opened: opened.move() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#opened[Symbol.asyncDispose]());
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
    const { code, output } = await desk.acpx.run(...how, "exec", "Make the roses blue");
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
    const { output } = await desk.acpx.run("--deny-all", "--no-fs", "exec", "Make the roses blue");
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
    const { code } = await desk.acpx.run("--approve-all", "exec", "What is six times seven?");
    expect(code).toBe(0);
    expect(await fs.readFile(path.join(desk.project, "answer.txt"), "utf8")).toBe("42\n");
    expect(desk.asked[1]?.toolResults[0]?.text).toContain("42");
  });

  test("a session continues in another process", async () => {
    await using desk = await Desk.open(["I will remember it.", "It is 4711."]);
    expect((await desk.acpx.run("sessions", "new")).code).toBe(0);
    expect(await desk.acpx.run("prompt", "The number is 4711")).toMatchObject({ code: 0 });
    await desk.acpx.untilQuiet();
    const { code, output } = await desk.acpx.run("prompt", "Which number?");
    expect(code).toBe(0);
    expect(output).toContain("It is 4711.");
    expect(desk.asked[1]?.messages.map(({ text }) => text)).toEqual([
      "The number is 4711",
      "I will remember it.",
      "Which number?",
    ]);
  });
});
