import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { open, sh } from "./sandboxed-conversation.ts";

describe.skipIf(isSkipped)("protected places that a confined command creates", () => {
  test("a created place is removed without following a link in it", async () => {
    await using conversation = await open([sh("link"), "Done."]);
    await mkdir(conversation.path("outside/workflows"));
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "reject";
    await conversation.prompt("Go.");
    expect(conversation.asks).toHaveLength(1);
    expect(await readdir(conversation.path("outside"))).toEqual(["workflows", "x"]);
    expect(await readdir(conversation.path("project"))).not.toContain(".github");
  });

  test("a created protected place has another name until the person allows it", async () => {
    await using talk = await open([sh("hooks"), "Done."]);
    await talk.open();
    await talk.choose("sandboxed");
    let during: string[] = [];
    talk.answer = () => {
      during = readdirSync(talk.path("project"));
      return "keep";
    };
    await talk.prompt("Go.");
    expect(during).not.toContain(".husky");
    const aside = during.find((name) => name.startsWith(".husky.landline-set-aside-"));
    expect(talk.asks).toMatchObject([
      {
        title: "Keep .husky, which the command made",
        text: expect.stringContaining(
          `Note that .husky is protected (git hooks).\n.husky was renamed to "${aside}".`,
        ),
        meta: { "landline/sandbox": {} },
        options: [
          ["keep", "allow_once", "Allow"],
          ["reject", "reject_once", "Reject"],
        ],
      },
    ]);
    expect(await readFile(talk.path("project/.husky/pre-commit"), "utf8")).toBe("ran\n");
    expect(await readdir(talk.path("project"))).not.toContain(aside);
    expect(talk.faults()).toEqual([]);
  });

  test("a protected place of a cancelled command keeps another name", async () => {
    await using talk = await open([sh("waits"), "Done."]);
    await talk.open();
    await talk.choose("sandboxed");
    await Promise.all([talk.prompt("Go."), talk.cancelAfterOutput()]);
    expect(talk.asks).toEqual([]);
    const names = await readdir(talk.path("project"));
    expect(names).not.toContain(".husky");
    const aside = names.find((name) => name.startsWith(".husky.landline-set-aside-"));
    expect(talk.errors()).toEqual([expect.stringContaining("The command made .husky.")]);
    expect(talk.errors()[0]).toContain(`.husky was renamed to "${aside}".`);
  });

  test("a created folder of the PATH needs permission", async () => {
    const home = await mkdtemp(join(tmpdir(), "landline-sandbox-home-"));
    await mkdir(join(home, "project"));
    const line = "mkdir bin; cp /bin/true bin/git";
    await writeFile(join(home, "project/act.sh"), line);
    const PATH = `${join(home, "project/bin")}:${process.env["PATH"]}`;
    await using conversation = await open([sh(""), "Done."], { home, environment: { PATH } });
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "reject";
    await conversation.prompt("Go.");
    expect(conversation.asks.map(({ title }) => title)).toEqual([
      "Keep bin, which the command made",
    ]);
    expect(await readdir(conversation.path("project"))).toEqual(["act.sh"]);
  });
});
