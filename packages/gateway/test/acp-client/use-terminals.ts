import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect } from "vitest";
import { endMarked, lives, marked } from "../../../system/test/live-processes.ts";
import { Terminals } from "../../src/acp-client/terminals.ts";
import { usualSandbox } from "./confined-terminals.ts";
import { openScratch, type Scratch } from "./scratch.ts";

export type Changes = Parameters<Scratch["context"]>[0];

/** Terminals over a scratch project, for each test. At its end, no process of theirs may be left. */
export function useTerminals(isConfined: boolean) {
  let scratch: Scratch;
  let mark: string;
  let opened: Terminals[];
  const running = () => marked(mark).filter(lives);

  beforeEach(async () => {
    scratch = await openScratch();
    mark = randomUUID();
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map((terminals) => terminals.releaseAll()));
    const left = running();
    endMarked(mark);
    await scratch[Symbol.asyncDispose]();
    expect(left).toEqual([]);
  });

  return {
    get scratch() {
      return scratch;
    },
    get mark() {
      return mark;
    },
    running,
    endAll: () => endMarked(mark),
    terminalsOf: (changes?: Changes, environment = process.env): Terminals => {
      const context = scratch.context(changes);
      const sandbox = isConfined ? usualSandbox(context) : null;
      const terminals = new Terminals(context, { mark, sandbox, environment });
      opened.push(terminals);
      return terminals;
    },
  };
}
