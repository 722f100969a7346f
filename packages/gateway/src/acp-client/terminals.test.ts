import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fold, emptyView, type EventBody, type RawUpdate } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { ways } from "../../test/acp-client/confined-terminals.ts";
import { until } from "../../../system/test/live-processes.ts";
import { type Changes, useTerminals } from "../../test/acp-client/use-terminals.ts";
import { openScratch, refusedWith } from "../../test/acp-client/scratch.ts";
import { Terminals, type CreateParams } from "./terminals.ts";
import { unconfinedRun, type TerminalSandbox } from "./terminals/terminal-sandbox.ts";

describe.each(ways)("terminals, $way:", ({ isConfined }) => {
  const rig = useTerminals(isConfined);
  const { terminalsOf } = rig;

  async function run(params: string | CreateParams, changes?: Changes) {
    const terminals = terminalsOf(changes);
    const { terminalId } = await terminals.create(
      typeof params === "string" ? { command: params } : params,
    );
    const exit = await terminals.waitForExit({ terminalId });
    const output = await terminals.output({ terminalId });
    return { terminals, terminalId, exit, ...output };
  }

  const eventsOf = <Kind extends EventBody["kind"]>(kind: Kind) =>
    rig.scratch.events.filter(
      (event): event is Extract<EventBody, { kind: Kind }> => event.kind === kind,
    );

  const loggedText = () =>
    eventsOf("terminal-output")
      .map(({ text }) => text)
      .join("");

  describe("a command", () => {
    it.runIf(isConfined)("loads no code into the sandbox itself", async () => {
      const file = join(rig.scratch.project, "../loaded");
      const env = [
        { name: "LD_DEBUG", value: "libs" },
        { name: "LD_DEBUG_OUTPUT", value: file },
      ];
      const { output } = await run({ command: "echo $LD_DEBUG_OUTPUT", env });
      expect(output).toBe(`${file}\n`);
      const names = await readdir(join(rig.scratch.project, ".."));
      expect(names.filter((name) => name.startsWith("loaded"))).toEqual([]);
    });

    it("runs, is logged in order, and its exit comes after its output", async () => {
      const { terminalId, exit, output, truncated, exitStatus } = await run("echo hello; exit 3");
      expect({ exit, output, truncated, exitStatus }).toEqual({
        exit: { exitCode: 3, signal: null },
        output: "hello\n",
        truncated: false,
        exitStatus: { exitCode: 3, signal: null },
      });
      expect(rig.scratch.events).toEqual([
        {
          kind: "terminal-opened",
          terminalId,
          command: "echo hello; exit 3",
          args: [],
          cwd: rig.scratch.project,
          confinement: isConfined ? { sandbox: "bubblewrap", network: "off" } : null,
        },
        { kind: "terminal-output", terminalId, text: "hello\n" },
        { kind: "terminal-exited", terminalId, exitCode: 3, signal: null },
      ]);
    });

    it.each([
      [
        "a whole command line",
        { command: "printf '%s|' a b | tr a-z A-Z && echo $((6 * 7))" },
        "A|B|42\n",
      ],
      ["bash syntax", { command: "x=(one two); [[ ${x[1]} == two ]] && echo {1..3}" }, "1 2 3\n"],
      ["several lines", { command: "echo one\necho two" }, "one\ntwo\n"],
      ["one word", { command: "true" }, ""],
      [
        "arguments unchanged",
        { command: "printf", args: ["%s\n", "a b", "$HOME", "`x`", "*", "", "'\""] },
        "a b\n$HOME\n`x`\n*\n\n'\"\n",
      ],
      [
        "a shell with its arguments",
        { command: "/bin/bash", args: ["-c", 'echo "$0-$1"', "zero", "one"] },
        "zero-one\n",
      ],
      ["an empty list of arguments", { command: "echo a && echo b", args: [] }, "a\nb\n"],
      ["nothing to read", { command: "cat; echo over" }, "over\n"],
    ] satisfies [string, CreateParams, string][])("may be %s", async (_what, params, expected) => {
      expect(await run(params)).toMatchObject({ output: expected, exit: { exitCode: 0 } });
    });

    it("may be the path of a program with spaces in it", async () => {
      const program = join(rig.scratch.project, "my program; rm x.sh");
      await writeFile(program, "#!/bin/sh\necho ran\n");
      await chmod(program, 0o755);
      expect((await run(program)).output).toBe("ran\n");
      expect((await run("./my program; rm x.sh")).output).toBe("ran\n");
      expect((await run("'./my program; rm x.sh'; echo too")).output).toBe("ran\ntoo\n");
    });

    it("that does not exist fails like in a shell", async () => {
      for (const params of [
        { command: "no-such-command-here" },
        { command: "no-such-command-here", args: ["x"] },
      ]) {
        const { exit, output } = await run(params);
        expect(exit).toEqual({ exitCode: 127, signal: null });
        expect(output).toContain("not found");
      }
      await writeFile(join(rig.scratch.project, "not-a-program"), "");
      expect((await run({ command: "./not-a-program", args: ["x"] })).exit.exitCode).toBe(126);
    });

    it.each([
      ["", "invalid-params"],
      [" \n", "invalid-params"],
      ["echo\0", "invalid-params"],
      ["x".repeat(200_000), "invalid-params"],
    ])("is refused if it is empty: %#", async (command, code) => {
      expect(await refusedWith(terminalsOf().create({ command }))).toBe(code);
      expect(
        await refusedWith(terminalsOf().create({ command: "echo", args: [command || "\0"] })),
      ).toBe(command.trim() === "" && command !== "" ? "taken" : code);
    });

    it.each([
      ["exit 0", { exitCode: 0, signal: null }],
      ["exit 255", { exitCode: 255, signal: null }],
      ["kill -9 $$", { exitCode: null, signal: "SIGKILL" }],
      ["kill -SEGV $$", { exitCode: null, signal: "SIGSEGV" }],
      ["sh -c 'kill -9 $$'", { exitCode: 137, signal: null }],
    ])("reports its exit: %s", async (command, expected) => {
      // A shell replaces itself by its only command: a second one prevents that.
      expect((await run(`${command}; exit $?`)).exit).toEqual(expected);
    });

    it("keeps the order of both outputs", async () => {
      const command = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done";
      const lines = Array.from({ length: 9 }, (_, index) => `out ${index + 1}\nerr ${index + 1}\n`);
      expect((await run(command)).output).toBe(lines.join(""));
    });
  });

  describe("the working directory", () => {
    it("is the session's folder, unless the agent says otherwise", async () => {
      await mkdir(join(rig.scratch.project, "folder"));
      await symlink("folder", join(rig.scratch.project, "link"));
      const cases: [string | null | undefined, string][] = [
        [undefined, rig.scratch.project],
        [null, rig.scratch.project],
        [join(rig.scratch.project, "folder"), join(rig.scratch.project, "folder")],
        [join(rig.scratch.project, "link"), join(rig.scratch.project, "folder")],
      ];
      for (const [cwd, expected] of cases) {
        const { output } = await run({ command: "pwd", ...(cwd === undefined ? {} : { cwd }) });
        expect(output).toBe(`${expected}\n`);
      }
    });

    it.each(["/", "/etc", "OUTSIDE", "PROJECT/..", "PROJECT/link-out", "/proc/self/cwd"])(
      "is never %s",
      async (cwd) => {
        await symlink(rig.scratch.outside, join(rig.scratch.project, "link-out"));
        const path = cwd
          .replace("OUTSIDE", rig.scratch.outside)
          .replace("PROJECT", rig.scratch.project);
        expect(await refusedWith(terminalsOf().create({ command: "pwd", cwd: path }))).toBe(
          "permission-denied",
        );
        expect(rig.scratch.events).toEqual([]);
      },
    );

    it("must be an existing folder", async () => {
      await writeFile(join(rig.scratch.project, "file"), "");
      const terminals = terminalsOf();
      const refusalIn = (name: string) =>
        refusedWith(terminals.create({ command: "pwd", cwd: join(rig.scratch.project, name) }));
      expect(await refusalIn("file")).toBe("permission-denied");
      expect(await refusalIn("missing")).toBe("file-not-found");
      expect(terminals.openCount).toBe(0);
    });
  });

  describe("the environment", () => {
    const environmentOf = async (own: NodeJS.ProcessEnv, env: CreateParams["env"] = []) => {
      const terminals = terminalsOf({}, { PATH: process.env["PATH"], ...own });
      const { terminalId } = await terminals.create({ command: "env", args: ["-0"], env });
      await terminals.waitForExit({ terminalId });
      const { output } = await terminals.output({ terminalId });
      return new Map(output.split("\0").map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    };

    it("is the gateway's without its own variables, with the agent's added", async () => {
      const environment = await environmentOf(
        {
          LANDLINE_TOKEN: "secret",
          landline_data: "/data",
          LANDLINE_AGENT_MARK: "old",
          ANTHROPIC_API_KEY: "secret-of-anthropic",
          COPY: "secret-of-anthropic",
          HOME: "/home",
          A: "ours",
          KEY: "kept",
        },
        [
          { name: "A", value: "theirs" },
          { name: "B", value: "two\nlines=" },
          { name: "LANDLINE_AGENT_MARK", value: "forged" },
          { name: "OPENAI_API_KEY", value: "secret-of-openai" },
          { name: "COPIES", value: "secret-of-openai" },
          { name: "OTHER", value: "secret-of-anthropic" },
        ],
      );
      expect(Object.fromEntries(environment)).toMatchObject({
        HOME: "/home",
        KEY: "kept",
        A: "theirs",
        B: "two\nlines=",
        LANDLINE_AGENT_MARK: rig.mark,
      });
      expect([...environment.values()].join("\n")).not.toContain("secret");
      expect([...environment.keys()].filter((name) => name.endsWith("_API_KEY"))).toEqual([]);
      expect([...environment.keys()].filter((name) => /^landline/i.test(name))).toEqual([
        "LANDLINE_AGENT_MARK",
      ]);
    });

    it("is refused if it is invalid", async () => {
      for (const [name, value] of [
        ["", "x"],
        ["A=B", "x"],
        ["A\0", "x"],
        ["A", "x\0"],
      ] as const) {
        const code = await refusedWith(
          terminalsOf().create({ command: "env", env: [{ name, value }] }),
        );
        expect(code).toBe("invalid-params");
      }
      const long = [{ name: "A", value: "x".repeat(140_000) }];
      expect(await refusedWith(terminalsOf().create({ command: "env", env: long }))).toBe(
        "invalid-params",
      );
    });
  });

  describe("the output", () => {
    it("is available while it runs, without a line end", async () => {
      const terminals = terminalsOf();
      const { terminalId } = await terminals.create({ command: "printf 'how many? '; sleep 60" });
      await until(async () => (await terminals.output({ terminalId })).output !== "");
      expect(await terminals.output({ terminalId })).toEqual({
        output: "how many? ",
        truncated: false,
      });
      await until(() => loggedText() === "how many? ");
    });

    it.skipIf(isConfined)(
      "is truncated at the front to the agent's limit, between characters",
      async () => {
        const command = "printf 'aé€😀%.0s' $(seq 1000)";
        const whole = "aé€😀".repeat(1_000);
        for (let outputByteLimit = 0; outputByteLimit < 25; outputByteLimit += 1) {
          const { output, truncated } = await run({ command, outputByteLimit });
          expect(truncated).toBe(true);
          expect(Buffer.byteLength(output)).toBeLessThanOrEqual(outputByteLimit);
          expect(Buffer.byteLength(output)).toBeGreaterThan(outputByteLimit - 4);
          expect(whole.endsWith(output)).toBe(true);
        }
        expect(await run({ command, outputByteLimit: 10_000 })).toMatchObject({
          output: whole,
          truncated: false,
        });
        expect((await run({ command, outputByteLimit: 9_999 })).truncated).toBe(true);
      },
    );

    it.skipIf(isConfined)("is bounded whatever the agent requests", async () => {
      const limits = { terminalBytes: 1_000, terminalBytesMax: 2_000 };
      const command = "seq 10000";
      for (const [outputByteLimit, length] of [
        [null, 1_000],
        [Number.MAX_SAFE_INTEGER, 2_000],
        [500, 500],
      ] as const) {
        const { output, truncated } = await run({ command, outputByteLimit }, { limits });
        expect({ length: output.length, truncated }).toEqual({ length, truncated: true });
        expect(output.endsWith("\n9999\n10000\n")).toBe(true);
      }
    });

    it("joins characters that came in pieces", async () => {
      const bytes = [...Buffer.from("é€😀")].map((byte) => `'\\${byte.toString(8)}'`).join(" ");
      const line = `for byte in ${bytes}; do printf "$byte"; sleep 0.06; done`;
      const { output } = await run(line);
      expect(output).toBe("é€😀");
      expect(loggedText()).toBe("é€😀");
    });

    it("shows binary data as such, within the bound", async () => {
      const { output, truncated } = await run({
        command: "head -c 100000 /dev/urandom; printf end",
        outputByteLimit: 1_000,
      });
      expect(truncated).toBe(true);
      expect(output.endsWith("end")).toBe(true);
      expect(output.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(1_000);
      expect((await run("printf '\\377\\000a\\303'")).output).toBe("\uFFFD\0a\uFFFD");
    });

    it.skipIf(isConfined)(
      "of 200 megabytes takes no memory, and is mentioned only once in the log",
      async () => {
        const limits = { terminalBurstBytes: 64 * 1_024 * 1_024 };
        const before = process.memoryUsage().rss;
        const { output, truncated, exit } = await run(
          {
            command: "head -c 200000000 /dev/zero | tr '\\0' 'x'; echo; echo end",
            outputByteLimit: 100_000,
          },
          { limits },
        );
        expect({ truncated, exit }).toEqual({
          truncated: true,
          exit: { exitCode: 0, signal: null },
        });
        expect(output).toHaveLength(100_000);
        expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_024 * 1_024);
        const text = loggedText();
        expect(text.length).toBeLessThan(1_200_000);
        expect(text.match(/\[Landline: output after 1048576 bytes/g)).toHaveLength(1);
        expect(text.endsWith("x\nend\n")).toBe(true);
        expect(rig.scratch.events.at(-1)).toMatchObject({ kind: "terminal-exited" });
      },
    );

    it("in many small pieces is few events, none too long for the log", async () => {
      await run("for i in $(seq 3000); do echo $i; done");
      const events = eventsOf("terminal-output");
      expect(events.length).toBeLessThan(200);
      expect(loggedText()).toBe(
        Array.from({ length: 3_000 }, (_, index) => `${index + 1}\n`).join(""),
      );
      rig.scratch.events.length = 0;
      await run("printf '😀%.0s' $(seq 200000)");
      expect(loggedText()).toBe("😀".repeat(200_000));
      for (const { text } of eventsOf("terminal-output")) {
        expect(text.length).toBeLessThanOrEqual(65_536);
        expect(text.isWellFormed()).toBe(true);
      }
    });

    it("folds to the text that the agent received", async () => {
      const { output } = await run("seq 1000; printf é");
      const view = rig.scratch.events.reduce(
        (folded, event, index) => fold(folded, [{ ...event, seq: index + 1, at: 0 }]),
        emptyView(),
      );
      expect(view.terminals).toMatchObject([{ text: output, exit: { exitCode: 0 } }]);
    });
  });
});

describe("the request for a command that its sandbox stopped", () => {
  const content = [{ type: "terminal", terminalId: "{{id}}" }];
  it.each<RawUpdate>([
    { sessionUpdate: "tool_call", toolCallId: "call", title: "Test", content },
    { toolCallId: "call", title: "Test", content },
    { type: "tool_call", content: { toolCall: { id: "call", title: "Test", content } } },
  ])("refers to the tool call that shows it: %o", async (update) => {
    await using scratch = await openScratch();
    const openings = [{ kind: "network", what: "connecting to example.com" }];
    const words = { text: "", opens: [], options: [], clauses: [] };
    const sandbox = {
      run: async (command: readonly string[]) => ({
        ...unconfinedRun(command),
        confined: { confinement: { sandbox: "none", network: "off" }, close: async () => {} },
      }),
      deniedTo: async () => ({ openings, words }),
    } as unknown as TerminalSandbox;
    const asked: object[] = [];
    const terminals = new Terminals(scratch.context(), {
      sandbox,
      ask: async ({ toolCall }) => {
        asked.push(toolCall);
        return { askId: "ask", optionId: null };
      },
    });
    const command = "until [ -e told ]; do sleep 0.01; done; exit 1";
    const { terminalId } = await terminals.create({ command });
    const told = JSON.stringify(update).replace("{{id}}", terminalId);
    terminals.noteUpdate(JSON.parse(told) as RawUpdate, null);
    await writeFile(join(scratch.project, "told"), "");
    await terminals.waitForExit({ terminalId });
    await terminals.releaseAll();
    expect(asked).toMatchObject([{ toolCallId: "call", title: "Test" }]);
  });
});
