import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { namesOf } from "../../tool-calls/call-names.ts";
import { callCommands } from "./call-commands.ts";
import { openShell, type Shell } from "./shell-analysis.ts";

it("analyses one line per turn of the event loop", async () => {
  const real = await openShell();
  const work = new AbortController();
  let turn = 0;
  const working = (async () => {
    while (!work.signal.aborted) {
      turn += 1;
      await setImmediate();
    }
  })();
  const turns: number[] = [];
  const shell: Shell = {
    ...real,
    analyse(line) {
      turns.push(turn);
      return real.analyse(line);
    },
    judge(line, setting) {
      turns.push(turn);
      return real.judge(line, setting);
    },
  };
  const names = namesOf({
    kind: "execute",
    title: "`ls a`",
    rawInput: {
      commands: Array.from({ length: 70 }, (_, at) => `ls ${at}`),
      scripts: ["ls b", "x".repeat(40_000), "y".repeat(40_000)],
    },
  });
  const place = { folderOf: () => Promise.resolve("/repo"), roots: ["/repo"] };
  const { commands, maybeCommands } = await callCommands(names, shell, place);
  work.abort();
  await working;
  expect(turns.length).toBeGreaterThanOrEqual(commands.length + maybeCommands.length);
  expect(new Set(turns).size).toBe(turns.length);
});
