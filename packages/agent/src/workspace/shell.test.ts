import { describe, expect, it } from "vitest";
import { commandEnvironment, marksIn } from "./command-environment.ts";
import { plainShellCall, shellCall } from "./shell.ts";

const shellOf = (environment: NodeJS.ProcessEnv) => shellCall("true", environment, "linux").args[3];

describe("the shell of a command", () => {
  it("is the user's when lines are written for it, and bash otherwise", () => {
    expect(shellOf({ SHELL: "/bin/bash" })).toBe("/bin/bash");
    expect(shellOf({ SHELL: "/usr/bin/fish" })).toBe("/bin/bash");
    expect(shellOf({ SHELL: "/nowhere/zsh" })).toBe("/bin/bash");
    expect(shellOf({})).toBe("/bin/bash");
  });

  it("gets the line as one argument, however it is started", () => {
    const line = `echo "a b" 'c'; $(x)`;
    expect(shellCall(line, {}, "linux").args.at(-1)).toBe(line);
    expect(plainShellCall(line, {}, "darwin")).toEqual({ file: "/bin/sh", args: ["-c", line] });
    const windows = { file: "cmd.exe", args: ["/d", "/s", "/c", line] };
    expect(plainShellCall(line, {}, "win32")).toEqual(windows);
    expect(shellCall(line, { ComSpec: "C:\\cmd.exe" }, "win32")).toEqual({
      file: "C:\\cmd.exe",
      args: ["/d", "/s", "/c", `"${line}"`],
    });
  });
});

describe("the environment of a command", () => {
  it("has the mark of whoever started us in front of ours", () => {
    const given = {
      LANDLINE_AGENT_MARK: "outer",
      LANDLINE_TOKEN: "secret",
      AI_SDK_LOG_WARNINGS: "false",
    };
    const environment = commandEnvironment({ ...given, PATH: "/bin" }, { A: "b" }, "own.1");
    expect(environment).toEqual({ PATH: "/bin", A: "b", LANDLINE_AGENT_MARK: "outer:own.1" });
    const text = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    expect(marksIn(text.join("\0"))).toEqual(["outer", "own.1"]);
    expect(marksIn("PATH=/bin\0")).toEqual([]);
  });
});
