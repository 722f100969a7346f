import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { marksIn } from "@landline/system/process-mark";
import { commandEnvironment } from "./command-environment.ts";
import { plainShellCall, shellCall } from "./shell.ts";

const shellOf = (environment: NodeJS.ProcessEnv) => shellCall("true", environment, "linux").args[3];

describe("the shell of a command", () => {
  it("is bash for every user, because lines are parsed as bash", async () => {
    const folder = await mkdtemp(join(tmpdir(), "landline-shell-"));
    for (const name of ["bash", "zsh"]) await copyFile("/bin/sh", join(folder, name));
    expect(shellOf({ SHELL: "/bin/bash" })).toBe("/bin/bash");
    expect(shellOf({ SHELL: join(folder, "bash") })).toBe(join(folder, "bash"));
    expect(shellOf({ SHELL: join(folder, "zsh") })).toBe("/bin/bash");
    expect(shellOf({ SHELL: "/nowhere/bash" })).toBe("/bin/bash");
    expect(shellOf({})).toBe("/bin/bash");
    await rm(folder, { recursive: true });
  });

  it("receives the line as one argument", () => {
    const line = `echo "a b" 'c'; $(x)`;
    expect(shellCall(line, {}, "linux").args.at(-1)).toBe(line);
    expect(plainShellCall(line, {}, "darwin")).toEqual({ file: "/bin/bash", args: ["-c", line] });
    const windows = { file: "cmd.exe", args: ["/d", "/s", "/c", line] };
    expect(plainShellCall(line, {}, "win32")).toEqual(windows);
    expect(shellCall(line, { ComSpec: "C:\\cmd.exe" }, "win32")).toEqual({
      file: "C:\\cmd.exe",
      args: ["/d", "/s", "/c", `"${line}"`],
    });
  });
});

describe("the environment of a command", () => {
  it("contains the mark of the parent process before its own", () => {
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
