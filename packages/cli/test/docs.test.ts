import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import { loadConfig } from "@landline/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCode } from "../src/exit-code.ts";
import { createProgram } from "../src/program.ts";
import { Output } from "../src/output.ts";
import { Home } from "./landline.ts";

const root = path.join(import.meta.dirname, "../../..");
const page = await readFile(path.join(root, "docs/cli.md"), "utf8");

interface Example {
  readonly command: string;
  /** The expected stdout; … matches anything. */
  readonly printed: string;
}

const examples: Example[] = [...page.matchAll(/```console\n([^]*?)```/g)].flatMap(
  ([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const end = text.indexOf("\n");
        return { command: text.slice(0, end), printed: text.slice(end + 1) };
      }),
);

/** Several spaces count as one, because column widths vary. */
function patternOf(printed: string): RegExp {
  const parts = printed
    .trim()
    .split("…")
    .map((part) =>
      part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replaceAll(/(?:\\x20| )+/g, " +"),
    );
  return new RegExp(`^\\s*${parts.join("[^]*")}`);
}

let home: Home;
beforeAll(async () => {
  home = await Home.make("claude");
  await mkdir(home.path("bin"));
  await symlink(path.join(root, "packages/cli/bin/landline.js"), home.path("bin/landline"));
  await home.serve();
});
afterAll(() => home[Symbol.asyncDispose]());

describe("the examples", () => {
  it("exist", () => {
    expect(examples.length).toBeGreaterThan(12);
  });

  it.each(examples)("$command", async ({ command, printed }) => {
    const { environment } = home;
    const env = { ...environment, PATH: `${home.path("bin")}:${environment["PATH"]}` };
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command], {
      cwd: home.folder,
      env,
    });
    expect(stdout).toMatch(patternOf(printed));
  });
});

it("the config on the page is valid", async () => {
  const [, text = ""] = /<!-- config -->\s+```json\n([^]*?)```/.exec(page) ?? [];
  const file = home.path("documented.json");
  await writeFile(file, text);
  const options = await loadConfig({ flags: { config: file }, environment: { HOME: home.folder } });
  expect(options.limits).toMatchObject({ promptsPerMinute: 60, askMs: 3_600_000 });
});

it("every command, option and exit code is on the page", () => {
  const program = createProgram({ output: new Output(), end: () => {} });
  for (const command of program.commands) {
    expect(page).toContain(command.name());
    const parts = command.commands.length > 0 ? command.commands : [command];
    for (const option of parts.flatMap(({ options }) => options))
      expect(page).toContain(option.long);
  }
  for (const code of Object.values(exitCode))
    expect(page).toMatch(new RegExp(`^\\| ${code} +\\|`, "m"));
});
