import { expect, it } from "vitest";
import type { AuditEntry } from "./audit-table.ts";
import { withEffects } from "./command-effects.ts";

const entry = (detail: AuditEntry["detail"], what: AuditEntry["what"] = "tool-started") => ({
  sessionId: "s",
  seq: 1,
  at: 1,
  what,
  detail,
});

const effectsOf = async (...entries: readonly AuditEntry[]) =>
  (await withEffects(entries)).map(({ detail: { programs, does } }) => ({ programs, does }));

it.each<readonly [AuditEntry["detail"], readonly string[], readonly string[]]>([
  [{ commands: ["cat a.ts"] }, ["cat"], ["reads files"]],
  [{ commands: ["rm -rf build"] }, ["rm"], ["deletes files"]],
  [
    { commands: ["npm test", "ls > out"] },
    ["npm", "ls"],
    ["runs code of the project", "reads files", "changes files"],
  ],
  [
    { commands: ["bash -c 'rm x && curl example.com'"] },
    ["rm", "curl"],
    ["deletes files", "uses the network"],
  ],
  [{ commands: ["mytool x"] }, ["mytool"], ["may do more: the program mytool is not known"]],
])("of %j are %j, %j", async (detail, programs, does) => {
  const [told] = await withEffects([entry(detail)]);
  expect(told?.detail).toMatchObject({ ...detail, programs });
  expect(told?.detail["does"]).toEqual(expect.arrayContaining([...does]));
});

it("are reported for commands in terminals, by line or by words", async () => {
  const terminal = (command: string, args: readonly string[]) =>
    entry({ terminalId: "t", command, args, cwd: "/repo" }, "command-started");
  const [line, words] = await effectsOf(
    terminal("rm a && ls", []),
    terminal("echo", ["a && rm b"]),
  );
  expect(line?.programs).toEqual(["rm", "ls"]);
  expect(words).toEqual({ programs: ["echo"], does: [] });
});

it("report a line that can't be parsed", async () => {
  const [told] = await effectsOf(entry({ commands: ["ls 'a"] }));
  expect(told?.does).toContainEqual(expect.stringMatching(/^may do more: it has a syntax error/));
});

it("are omitted from entries without commands", async () => {
  const entries = [entry({ title: "Read a" }), entry({ path: "/a" }, "file-read")];
  expect(await withEffects(entries)).toEqual(entries);
});

it("are bounded per page", async () => {
  const long = Array.from({ length: 20 }, (_, index) => `echo ${index}${"x".repeat(40_000)}`);
  const told = await effectsOf(...long.map((command) => entry({ commands: [command] })));
  expect(told[0]?.programs).toEqual(["echo"]);
  expect(told.at(-1)).toEqual({
    programs: [],
    does: ["is not analysed, because there is too much on this page"],
  });
});
