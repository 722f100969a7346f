import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = join(import.meta.dirname, "main.ts");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-server-"));
});
afterAll(() => rm(folder, { recursive: true }));

function start(...given: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--conditions=@landline/source", program, ...given]);
}

async function script(content: unknown): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify(content));
  return path;
}

async function listening(child: ChildProcessWithoutNullStreams) {
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return JSON.parse(line) as { url: string; port: number };
}

const ask = (url: string, model = "m") =>
  fetch(`${url}/api/chat`, {
    method: "POST",
    body: JSON.stringify({ model, messages: [], stream: false }),
  });

describe("the model server as a program", () => {
  test.each(["SIGTERM", "SIGINT", "stdin"] as const)(
    "prints its address, plays the script, and ends by %s",
    async (ending) => {
      const child = start("--script", await script({ replies: ["Hello"], models: ["mine"] }));
      const exited = once(child, "exit");
      const { url, port } = await listening(child);
      expect(url).toBe(`http://127.0.0.1:${port}`);
      expect(await (await ask(url)).json()).toMatchObject({ message: { content: "Hello" } });
      expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({
        data: [{ id: "mine" }],
      });
      if (ending === "stdin") child.stdin.end();
      else child.kill(ending);
      expect(await exited).toEqual([0, null]);
    },
  );

  test("exits while a client still waits", async () => {
    const hanging = { when: { model: "stuck" }, trouble: { kind: "hang", beforeHeaders: true } };
    const child = start("--script", await script({ replies: [hanging, "Hello"] }));
    const exited = once(child, "exit");
    const { url } = await listening(child);
    const failure = ask(url, "stuck").then(
      () => "answered",
      () => "lost",
    );
    expect((await ask(url)).status).toBe(200);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect(await failure).toBe("lost");
  });

  test.each([
    [[], "--script FILE is missing."],
    [["--script", "no-such-file.json"], "no-such-file.json"],
    [["--script", "x.json", "--port", "70000"], "--port 70000 is not a port"],
    [["--nonsense"], "--nonsense"],
  ])("refuses %j with a clear message", async (given, message) => {
    const child = start(...given);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Usage:");
    expect(code).toBe(2);
  });

  test("refuses an invalid script with the path of the field", async () => {
    const child = start("--script", await script({ replies: [{ parts: [{ type: "txt" }] }] }));
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(stderr).toContain("script.replies[0].parts[0].type: expected one of text");
    expect(code).toBe(2);
  });
});
