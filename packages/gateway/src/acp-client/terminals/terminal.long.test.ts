import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EventBody, LandlineError } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { ways } from "../../../test/acp-client/confined-terminals.ts";
import { startedWith, until } from "../../../../system/test/live-processes.ts";
import { useTerminals } from "../../../test/acp-client/use-terminals.ts";
import { refusedWith } from "../../../test/acp-client/scratch.ts";
import type { CreateParams, Terminals } from "../terminals.ts";

describe.each(ways)("terminals, $way:", ({ isConfined }) => {
  const rig = useTerminals(isConfined);
  const { terminalsOf, running } = rig;

  /** Starts a command and waits until it reports that it is ready. */
  async function ready(terminals: Terminals, command: string, params: Partial<CreateParams> = {}) {
    const { terminalId } = await terminals.create({ command, ...params });
    await until(async () => (await terminals.output({ terminalId })).output.includes("ready"));
    return { terminalId };
  }

  const kinds = () => rig.scratch.events.map(({ kind }) => kind);

  async function markedStates(): Promise<(string | undefined)[]> {
    const pids = running();
    const lines = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")),
    );
    return lines.map((line) => /\) (\w)/.exec(line)?.[1]);
  }

  describe("killing", () => {
    it("ends the command with its child processes, and keeps its output", async () => {
      const terminals = terminalsOf();
      const terminal = await ready(terminals, "sleep 60 & sleep 60 & echo ready; wait");
      // bubblewrap, the first process of the sandbox and the shell around it.
      await until(() => running().length === (isConfined ? 6 : 3));
      expect(await terminals.kill(terminal)).toEqual({});
      expect(running()).toEqual([]);
      expect(await terminals.output(terminal)).toEqual({
        output: "ready\n",
        truncated: false,
        exitStatus: { exitCode: null, signal: "SIGTERM" },
      });
      expect(await terminals.waitForExit(terminal)).toEqual({ exitCode: null, signal: "SIGTERM" });
      expect(await terminals.kill(terminal)).toEqual({});
      expect(terminals.openCount).toBe(1);
      expect(kinds()).toEqual(["terminal-opened", "terminal-output", "terminal-exited"]);
    });

    it("lets the command exit by itself", async () => {
      const terminals = terminalsOf();
      const terminal = await ready(
        terminals,
        "trap 'echo saved; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
      );
      await terminals.kill(terminal);
      expect(await terminals.output(terminal)).toMatchObject({
        output: expect.stringMatching(/^ready\n(?:Terminated\n)?saved\n$/) as string,
        exitStatus: { exitCode: 5, signal: null },
      });
    });

    it("ends a command that ignores signals", async () => {
      const terminals = terminalsOf({ limits: { terminalKillMs: 200 } });
      const terminal = await ready(
        terminals,
        "trap '' TERM HUP INT; echo ready; while :; do sleep 0.05; done",
      );
      await terminals.kill(terminal);
      expect(await terminals.waitForExit(terminal)).toEqual({ exitCode: null, signal: "SIGKILL" });
    });

    it("ends a child that ignores signals behind a command that does not", async () => {
      const terminals = terminalsOf({ limits: { terminalKillMs: 200 } });
      const stubborn = "(trap '' TERM; echo ready; while :; do sleep 0.05; done) & wait";
      const terminal = await ready(terminals, stubborn);
      await terminals.kill(terminal);
      expect(running()).toEqual([]);
    });

    it("ends a stopped command", async () => {
      const terminals = terminalsOf({ limits: { terminalKillMs: 200 } });
      const terminal = await terminals.create({ command: "kill -STOP $$; sleep 60" });
      await until(async () => (await markedStates()).includes("T"));
      await terminals.kill(terminal);
      expect(await terminals.waitForExit(terminal)).toEqual({ exitCode: null, signal: "SIGKILL" });
    });

    it("ends a command that has just been started", async () => {
      // A busy machine takes longer than usual to start eight of them.
      const terminals = terminalsOf({ limits: { terminalKillMs: 20_000 } });
      const started = await Promise.all(
        Array.from({ length: 8 }, () => terminals.create({ command: "sleep 60 & sleep 60; true" })),
      );
      await Promise.all(started.map((terminal) => terminals.kill(terminal)));
      expect(running()).toEqual([]);
      const exits = await Promise.all(started.map((terminal) => terminals.waitForExit(terminal)));
      expect(new Set(exits.map(({ signal }) => signal))).toEqual(new Set(["SIGTERM"]));
    });

    it("by several requests at once is one", async () => {
      const terminals = terminalsOf();
      const terminal = await ready(terminals, "echo ready; sleep 60");
      await Promise.all([
        terminals.kill(terminal),
        terminals.kill(terminal),
        terminals.waitForExit(terminal),
        terminals.release(terminal),
      ]);
      expect(kinds().filter((kind) => kind === "terminal-exited")).toHaveLength(1);
    });
  });

  describe("the exit", () => {
    it("is reported after the output before it, however slowly that is read", async () => {
      const terminals = terminalsOf({
        limits: { terminalBurstBytes: 1_000, terminalDrainMs: 20_000 },
      });
      const { terminalId } = await terminals.create({ command: "seq 20000" });
      expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 0, signal: null });
      const { output } = await terminals.output({ terminalId });
      expect(output.endsWith("\n19999\n20000\n")).toBe(true);
      expect(kinds().at(-1)).toBe("terminal-exited");
    });

    it("is reported although a process holds the output open, which is read further", async () => {
      const terminals = terminalsOf({ limits: { terminalDrainMs: 100 } });
      const gate = join(rig.scratch.project, "gate");
      const { terminalId } = await terminals.create({
        command: `(until [ -e ${gate} ]; do sleep 0.02; done; echo late; sleep 60) & echo first`,
      });
      expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 0, signal: null });
      expect(kinds()).toEqual(["terminal-opened", "terminal-output", "terminal-exited"]);
      await writeFile(gate, "");
      await until(async () => (await terminals.output({ terminalId })).output === "first\nlate\n");
      expect(running().length).toBeGreaterThan(0);
      await terminals.release({ terminalId });
      expect(running()).toEqual([]);
      expect(kinds().at(-1)).toBe("terminal-output");
    });

    it("leaves processes with their own session and an empty environment to the release", async () => {
      const terminals = terminalsOf({ limits: { terminalDrainMs: 100 } });
      const time = `60.${process.pid}`;
      const terminal = await ready(
        terminals,
        `env -i setsid -f sleep ${time}; setsid sleep ${time} & echo ready`,
      );
      expect(await terminals.waitForExit(terminal)).toEqual({ exitCode: 0, signal: null });
      await until(() => startedWith(`sleep\0${time}\0`).length === 2);
      await terminals.release(terminal);
      expect(startedWith(time)).toEqual([]);
    });

    it("without a supervisor, leaves processes with their own session to the sweep", async () => {
      const environment = { ...process.env, PATH: rig.scratch.project };
      const terminals = terminalsOf({ limits: { terminalDrainMs: 100 } }, environment);
      const line = "PATH=/usr/bin:/bin; setsid sh -c 'echo ready; exec sleep 60' & true";
      const terminal = await ready(terminals, line);
      await terminals.waitForExit(terminal);
      await terminals.release(terminal);
      // A sandbox ends with everything in it.
      expect(running()).toHaveLength(isConfined ? 0 : 1);
      rig.endAll();
      await until(() => running().length === 0);
    });

    it("is awaited by several requests, and not by cancelled ones", async () => {
      const terminals = terminalsOf();
      const terminal = await ready(terminals, "echo ready; sleep 60");
      const abort = new AbortController();
      const gaveUp = refusedWith(terminals.waitForExit(terminal, abort.signal));
      const waiting = [
        terminals.waitForExit(terminal),
        terminals.waitForExit(terminal, new AbortController().signal),
      ];
      const cancelled = new LandlineError("request-cancelled");
      abort.abort(cancelled);
      expect(await gaveUp).toBe("request-cancelled");
      expect(await refusedWith(terminals.waitForExit(terminal, AbortSignal.abort(cancelled)))).toBe(
        "request-cancelled",
      );
      expect(running()).not.toEqual([]);
      await terminals.release(terminal);
      expect(await Promise.all(waiting)).toEqual(
        Array.from({ length: 2 }, () => ({ exitCode: null, signal: "SIGTERM" })),
      );
    });

    it("comes at the time limit, if there is one", async () => {
      const terminals = terminalsOf({ limits: { terminalMs: 1_500 } });
      const terminal = await terminals.create({ command: "sleep 60" });
      await expect(terminals.waitForExit(terminal)).rejects.toMatchObject({
        code: "tool-timeout",
        message: "The command was ended: it ran longer than 1500 ms.",
        data: { exitCode: null, signal: "SIGTERM" },
      });
      expect(await terminals.output(terminal)).toMatchObject({ exitStatus: { signal: "SIGTERM" } });
      expect(kinds()).toEqual(["terminal-opened", "error", "terminal-exited"]);
      const patient = terminalsOf({ limits: { terminalMs: 20_000 } });
      const quick = await patient.create({ command: "true" });
      expect(await patient.waitForExit(quick)).toEqual({ exitCode: 0, signal: null });
    });
  });

  describe("releasing", () => {
    it("ends the command and removes the terminal", async () => {
      const terminals = terminalsOf();
      const terminal = await ready(terminals, "echo ready; sleep 60");
      expect(await terminals.release(terminal)).toEqual({});
      expect(running()).toEqual([]);
      expect(terminals.openCount).toBe(0);
      for (const asked of [
        terminals.output(terminal),
        terminals.waitForExit(terminal),
        terminals.kill(terminal),
        terminals.release(terminal),
      ]) {
        expect(await refusedWith(asked)).toBe("terminal-not-found");
      }
    });

    it("works for terminals of this session only", async () => {
      const mine = terminalsOf();
      const terminal = await ready(mine, "echo ready; sleep 60");
      expect(await refusedWith(terminalsOf().output(terminal))).toBe("terminal-not-found");
      expect(await refusedWith(mine.output({ terminalId: "__proto__" }))).toBe(
        "terminal-not-found",
      );
      expect(await refusedWith(mine.output({ terminalId: "" }))).toBe("terminal-not-found");
    });

    it("of all waits for terminals that are being started or released", async () => {
      const terminals = terminalsOf({ limits: { terminalKillMs: 200 } });
      const stubborn = await ready(
        terminals,
        "trap '' TERM; echo ready; while :; do sleep 0.05; done",
      );
      const releasing = terminals.release(stubborn);
      const starting = terminals.create({ command: "sleep 60" });
      await terminals.releaseAll();
      expect(running()).toEqual([]);
      expect(terminals.openCount).toBe(0);
      await Promise.all([releasing, starting]);
      await terminals.releaseAll();
    });
  });

  describe("many terminals", () => {
    it("a hundred at once, each with its own output, and none left", async () => {
      const terminals = terminalsOf();
      const created = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          terminals.create({ command: `echo number ${index}; sleep 60` }),
        ),
      );
      expect(terminals.openCount).toBe(100);
      for (const [index, { terminalId }] of created.entries()) {
        await until(
          async () => (await terminals.output({ terminalId })).output === `number ${index}\n`,
        );
      }
      await terminals.releaseAll();
      expect(running()).toEqual([]);
      expect(kinds().filter((kind) => kind === "terminal-exited")).toHaveLength(100);
    });

    it("above the limit are refused until some are released", async () => {
      const terminals = terminalsOf({ limits: { terminalsOpen: 3 } });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, () => terminals.create({ command: "true" })),
      );
      const taken = outcomes.filter((outcome) => outcome.status === "fulfilled");
      expect(taken).toHaveLength(3);
      expect(await refusedWith(terminals.create({ command: "true" }))).toBe("rate-limited");
      await terminals.release(taken[0]!.value);
      expect(await refusedWith(terminals.create({ command: "true" }))).toBe("taken");
    });
  });

  describe("a log that refuses", () => {
    it("starts nothing if the opening can't be logged", async () => {
      const terminals = terminalsOf({
        record: () => {
          throw new Error("the log is full");
        },
      });
      await expect(terminals.create({ command: "sleep 60" })).rejects.toThrow("the log is full");
      await until(() => running().length === 0);
      expect(terminals.openCount).toBe(0);
    });

    it("does not end a running command", async () => {
      const refusing = (event: EventBody) => {
        if (event.kind !== "terminal-opened") throw new Error("the log is full");
      };
      const terminals = terminalsOf({ record: refusing });
      const { terminalId } = await terminals.create({ command: "echo done > file; echo said" });
      expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 0, signal: null });
      expect((await terminals.output({ terminalId })).output).toBe("said\n");
      expect(await readFile(join(rig.scratch.project, "file"), "utf8")).toBe("done\n");
    });
  });

  describe("a flood", () => {
    it("is read at a limited rate", async () => {
      const terminals = terminalsOf({
        limits: { terminalBurstBytes: 65_536, terminalEventMs: 50 },
      });
      const start = performance.now();
      const terminal = await terminals.create({ command: "yes | head -c 2000000" });
      await terminals.waitForExit(terminal);
      // At most two reads of 64 KiB in 50 ms, and the content of the pipe.
      expect(performance.now() - start).toBeGreaterThan(300);
      expect((await terminals.output(terminal)).truncated).toBe(true);
    });

    it("is slowed by its pipe, and does not delay others", async () => {
      const terminals = terminalsOf({ limits: { terminalBurstBytes: 1_024 * 1_024 } });
      const flood = await terminals.create({ command: "yes" });
      await until(async () => (await terminals.output(flood)).truncated);
      let longestMs = 0;
      for (let turn = 0; turn < 20; turn += 1) {
        const start = performance.now();
        const quick = await terminals.create({ command: "echo quick" });
        await terminals.waitForExit(quick);
        expect((await terminals.output(quick)).output).toBe("quick\n");
        longestMs = Math.max(longestMs, performance.now() - start);
      }
      expect(longestMs).toBeLessThan(10_000);
      await terminals.release(flood);
      const texts = rig.scratch.events.filter(
        (event) => event.kind === "terminal-output" && event.terminalId === flood.terminalId,
      );
      expect(JSON.stringify(texts).length).toBeLessThan(2_500_000);
    });
  });
});
