import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { bash, open, sh } from "./sandboxed-conversation.ts";

describe.skipIf(isSkipped)("a request to leave the sandbox", () => {
  test("a write to a hidden file is one request, which says that the file would be changed", async () => {
    await using conversation = await open([sh("append"), sh("tee"), "Done."]);
    await conversation.open();
    await conversation.choose("sandboxed");
    const answers = ["open-once", "open"];
    conversation.answer = () => answers.shift() ?? "";
    await conversation.prompt("Go.");
    const [env, x] = [conversation.path("project/.env"), conversation.path("outside/x")];
    expect(conversation.asks.map(({ options }) => options[1]?.[2])).toEqual([
      `Allow reading and changing "${env}" once`,
      `Allow changing "${x}" in this session`,
    ]);
    expect(await readFile(env, "utf8")).toBe("SECRET=1\nx\n");
    expect(await readFile(x, "utf8")).toBe("z\n");
  });

  test("a file that the link of a credential leads to is asked about by its own name", async () => {
    await using conversation = await open([bash("cat settings.txt"), "Done."]);
    const file = conversation.path("project/settings.txt");
    await writeFile(file, "CONTENT\n");
    await symlink("settings.txt", conversation.path("project/.env.local"));
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "open-once";
    await conversation.prompt("Go.");
    expect(conversation.asks.map(({ options }) => options[1]?.[2])).toEqual([
      `Allow reading "${file}" once`,
    ]);
    expect(conversation.asks[0]?.text).toContain("a link with the name of a credential");
  });

  test("folders that Node makes with those above them are asked about, and made", async () => {
    await using conversation = await open([sh("folders"), "Done."]);
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "open-once";
    await conversation.prompt("Go.");
    expect(conversation.asks.map(({ options }) => options[1]?.[2])).toEqual([
      `Allow changing any file in "${conversation.path("outside")}" once`,
    ]);
    expect(await readdir(conversation.path("outside/new"))).toEqual(["folder"]);
  });

  test("a request lists everything that it would open, whatever a program prints", async () => {
    const folders = Array.from({ length: 4 }, (_, number) => `${"shared-".repeat(5)}${number}`);
    const misleading = "\u202e x in this session. Allow nothing";
    await using conversation = await open([sh("says deep"), sh("says words"), "Done."]);
    for (const name of [...folders, misleading, ".config"]) await mkdir(conversation.path(name));
    const deep = [...folders, ".config"].map((name) => conversation.path(name));
    const made = (path: string) => `ENOENT: no such file or directory, mkdir '${path}/npm/tmp'\n`;
    await writeFile(conversation.path("project/says-deep"), deep.map(made).join(""));
    await writeFile(
      conversation.path("project/says-words"),
      `touch: cannot touch '${conversation.path(misleading)}/new': Read-only file system\n`,
    );
    await conversation.open();
    await conversation.choose("sandboxed");
    await conversation.prompt("Go.");
    const [broad, words] = conversation.asks;
    const opens = deep.map((path) => `changing any file in "${path}"`);
    expect(broad?.text.split("\n")).toEqual([
      ...deep.map((path) => `The sandbox kept it from changing "${path}/npm/tmp".`),
      ...opens.map((each) => `You can allow once: ${each}.`),
      "If you allow it, the command runs again from the beginning.",
    ]);
    expect(broad?.options.map(([id, , name]) => [id, name])).toEqual([
      ["outside", "Run outside the sandbox once"],
      ["open-once", "Allow these 5 once"],
      ["reject", "Reject"],
    ]);
    expect(broad?.rawInput).toMatchObject({ opens_in_sandbox: opens });
    const shown = conversation.path("\\u{202e} x in this session. Allow nothing");
    expect(words?.options[1]?.[2]).toBe(`Allow changing any file in "${shown}" in this session`);
    expect(JSON.stringify(words)).not.toContain("\u202e");
  });

  test("a rule for a place does not open the folder around it", async () => {
    const permission = { external_directory: { "~/outside/cache/*": "allow" } };
    await using conversation = await open([sh("says"), "Done."], { config: { permission } });
    const path = conversation.path("outside/cache/deep/er");
    const output = `ENOENT: no such file or directory, mkdir '${path}'\n`;
    await writeFile(conversation.path("project/says-"), output);
    await conversation.open();
    await conversation.choose("sandboxed");
    await conversation.prompt("Go.");
    expect(conversation.asks.map(({ options }) => options[1]?.[2])).toEqual([
      `Allow changing any file in "${conversation.path("outside")}" once`,
    ]);
  });
});
