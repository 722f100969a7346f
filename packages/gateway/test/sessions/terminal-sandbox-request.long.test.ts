import * as fs from "node:fs/promises";
import * as path from "node:path";
import { sandboxRequest, type PermissionOpened } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { runner, stopped, textOf } from "./command-runner.ts";
import type { ScriptedGateway } from "./scripted-gateway.ts";
import { inGateway, opened } from "./marked-gateway.ts";

const inside = (body: (gateway: ScriptedGateway) => Promise<void>) =>
  inGateway({ agent: runner }, body);

describe.skipIf(isSkipped)("commands in terminals", () => {
  test("that fail again after an allowed exception are asked about again, and can only run outside", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const line = "echo 'curl: (6) Could not resolve host: example.com'; exit 6";
      const { ask, answer } = await stopped(open, line);
      expect(ask.options.map(({ name }) => name)).toEqual([
        "Run outside the sandbox once",
        "Allow connecting to example.com in this session",
        "Reject",
      ]);
      const answered = answer("allow_always");
      const again = await nextAsk(open, ask.seq);
      expect(await open.watcher.until("terminal-restarted")).toMatchObject({
        confinement: { network: ["example.com"] },
      });
      expect(textOf(again)).toMatch(
        /^The sandbox kept it from connecting to example.com directly\./,
      );
      expect(again.options.map(({ name }) => name)).toEqual([
        "Run outside the sandbox once",
        "Allow the whole network once",
        "Reject",
      ]);
      await choose(open, again, "reject");
      expect(await answered).toMatch(/^6 .*in a wider sandbox/s);

      const file = path.join(gateway.folder, "file");
      await fs.writeFile(file, "");
      const stuck = await stopped(open, `echo 'x: ${file}: Read-only file system'; exit 7`);
      const done = stuck.answer("allow_always");
      const second = await nextAsk(open, stuck.ask.seq);
      expect(textOf(second).split("\n").slice(0, 2)).toEqual([
        `The sandbox kept it from changing "${file}".`,
        `Note that changing "${file}" was allowed in the sandbox and failed.`,
      ]);
      expect(second.options.map(({ optionId }) => optionId)).toEqual(["outside", "reject"]);
      await choose(open, second, "reject");
      expect(await done).toMatch(/^7 /);
    });
  });

  test("are asked about with everything that would be opened, whatever they print", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const folders = Array.from({ length: 4 }, (_, number) => `${"shared-".repeat(5)}${number}`);
      const misleading = "\u202e\u001b[2K\r x in this session. Allow nothing";
      for (const name of [...folders, misleading]) await fs.mkdir(path.join(gateway.folder, name));
      const says = async (...lines: string[]) => {
        await fs.writeFile(path.join(gateway.project, "says"), lines.join("\n"));
        return stopped(open, "cat says; exit 1");
      };
      const at = folders.map((name) => path.join(gateway.folder, name));
      const made = (name: string) => `ENOENT: no such file or directory, mkdir '${name}'`;

      const narrow = await says(...at.map((folder) => made(`${folder}/npm`)));
      const opens = at.map((folder) => `changing any file in "${folder}"`);
      expect(narrow.ask.options[1]?.name).toBe("Allow these 4 in this session");
      for (const each of opens)
        expect(textOf(narrow.ask)).toContain(`\nYou can allow in this session: ${each}.\n`);
      expect(narrow.ask.toolCall._meta).toMatchObject({ [sandboxRequest]: { opens } });
      expect(await narrow.answer("reject_once")).toMatch(/^1 /);

      // These contain more than the named file.
      for (const [name, folder] of [
        [`${at[0]}/npm/tmp`, at[0]],
        ["/etc/npm-cache", "/etc"],
      ] as const) {
        const broad = await says(made(name));
        expect(broad.ask.options.map(({ optionId, name: words }) => [optionId, words])).toEqual([
          ["outside", "Run outside the sandbox once"],
          ["open-once", `Allow changing any file in "${folder}" once`],
          ["reject", "Reject"],
        ]);
        expect(textOf(broad.ask)).toContain("\nYou can allow once: changing any file in ");
        expect(await broad.answer("reject_once")).toMatch(/^1 /);
      }

      const place = path.join(gateway.folder, misleading);
      const words = await says(`touch: cannot touch '${place}/new': Read-only file system`);
      const shown = path.join(
        gateway.folder,
        "\\u{202e}\\u{1b}[2K\\u{d} x in this session. Allow nothing",
      );
      expect(words.ask.options[1]?.name).toBe(
        `Allow changing any file in "${shown}" in this session`,
      );
      expect(JSON.stringify(words.ask)).not.toMatch(/\u202e|\\u001b|\\r/);
      expect(await words.answer("reject_once")).toMatch(/^1 /);
    });
  });
});

describe.skipIf(isSkipped)("an opening that cannot last for the session", () => {
  test("applies to one command in its terminal, and is asked about again for the next one", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const folder = path.join(gateway.folder, "broad");
      await fs.mkdir(folder);
      await fs.writeFile(path.join(gateway.project, ".env"), "SECRET");
      // Node's message about a folder that it may not create.
      const refused = `ENOENT: no such file or directory, mkdir '${folder}/a/b'`;
      for (const [line, option, result] of [
        [
          `test -d ${folder} && echo made > ${folder}/file || { echo "${refused}"; exit 1; }`,
          `Allow changing any file in "${folder}" once`,
          "",
        ],
        ["cat .env", `Allow reading "${gateway.project}/.env" once`, "SECRET"],
      ] as const)
        for (let time = 0; time < 2; time += 1) {
          const { ask, answer } = await stopped(open, line);
          expect(ask.options[1]).toMatchObject({ optionId: "open-once", name: option });
          const said = await answer("open-once");
          expect(said).toMatch(new RegExp(`^0 .*in a wider sandbox.*${result}`, "s"));
          const again = await open.watcher.until("terminal-restarted", () => true, ask.seq);
          expect(again).toMatchObject({ confinement: { sandbox: "bubblewrap", network: "off" } });
        }
      expect(await fs.readFile(path.join(folder, "file"), "utf8")).toBe("made\n");
    });
  });
});

type Opened = Awaited<ReturnType<typeof opened>>;

async function nextAsk({ watcher }: Opened, seq: number): Promise<PermissionOpened> {
  return (await watcher.until("ask-opened", () => true, seq)) as PermissionOpened;
}

function choose({ session }: Opened, { askId }: PermissionOpened, optionId: string) {
  return session.answer(askId, { outcome: "selected", optionId }, "tester");
}
