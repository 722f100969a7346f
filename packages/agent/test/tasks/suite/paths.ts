import { readdir } from "node:fs/promises";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const patch = (file: string) =>
  `*** Begin Patch\n*** Add File: ${file}\n+patched\n*** End Patch` as const;

const refused = ["~root/x.txt", "file://elsewhere/x.txt"];

export const homeAndAddresses: Task = {
  name: "a path with ~ or file: is resolved, or refused",
  files: { "a b.txt": "one\n" },
  async act(user) {
    await user.prompt("Go on.");
  },
  async outcome({ repository }) {
    expect(await repository.read("a b.txt")).toBe("two\n");
    expect(await repository.read("../home/note.txt")).toBe("edited\n");
    // Nothing is named `~` or `file:`.
    expect((await readdir(repository.folder)).toSorted()).toEqual([".git", "a b.txt"]);
  },
  script: {
    lines: [
      ({ system }) => {
        const folder = /(\/\S*\/project)\b/.exec(system)?.[1] ?? "not told";
        return calls(["read", { filePath: pathToFileURL(path.join(folder, "a b.txt")).href }]);
      },
      ({ system }) => {
        const folder = /(\/\S*\/project)\b/.exec(system)?.[1] ?? "not told";
        const filePath = pathToFileURL(path.join(folder, "a b.txt")).href;
        return calls(["edit", { filePath, oldString: "one", newString: "two" }]);
      },
      calls(["write", { filePath: "~/note.txt", content: "written\n" }]),
      calls(["edit", { filePath: "~/note.txt", oldString: "written", newString: "edited" }]),
      calls(
        ["read", { filePath: "~/note.txt" }],
        ["list", { path: "~" }],
        ["glob", { pattern: "~/*.txt" }],
        ["glob", { pattern: "*.txt", path: "~" }],
        ["grep", { pattern: "edited", path: "~/" }],
        ["bash", { command: "pwd", workdir: "~", description: "Show the folder" }],
      ),
      calls(
        ...refused.flatMap((filePath): Parameters<typeof calls> => [
          ["read", { filePath }],
          ["write", { filePath, content: "x" }],
          ["edit", { filePath, oldString: "", newString: "x" }],
          ["list", { path: filePath }],
          ["glob", { pattern: "*", path: filePath }],
          ["glob", { pattern: `${filePath}/*` }],
          ["grep", { pattern: "x", path: filePath }],
          ["bash", { command: "pwd", workdir: filePath, description: "Show the folder" }],
        ]),
      ),
      "Done.",
    ],
    transcript({ user, repository, requests }) {
      const home = path.join(path.dirname(repository.folder), "home");
      expect(user.shown.calls.slice(0, 10).map(({ status }) => status)).toEqual(
        Array(10).fill("completed"),
      );
      expect(user.shown.calls[0]?.locations).toEqual([
        { path: path.join(repository.folder, "a b.txt") },
      ]);
      expect(user.shown.calls[2]?.locations).toMatchObject([{ path: `${home}/note.txt` }]);
      const answers = requests[5]?.toolResults.map(({ text }) => text) ?? [];
      expect(answers[0]).toContain("edited");
      for (const onRequest of answers.slice(1, 5)) expect(onRequest).toContain("note.txt");
      expect(answers[5]).toContain(home);
      // Paths outside the project need permission, even in this form.
      expect(user.asks[1]?.toolCall.title).toContain(`outside the project, in ${home}`);
      const wrong = user.shown.calls.slice(10);
      expect(wrong.map(({ status }) => status)).toEqual(Array(16).fill("failed"));
      for (const call of wrong) expect(call.rawOutput).toMatchObject({ reason: "invalid-input" });
      expect(JSON.stringify(user.asks)).not.toMatch(/~root|elsewhere/);
      expect(results(requests[6]!)).toContain("For a file of this name write ./~root/x.txt");
      expect(results(requests[6]!)).toContain("is on another machine");
    },
  },
};

export const patchAtHome: Task = {
  name: "a patch resolves ~ and file: too",
  files: { "a.txt": "one\n" },
  async act(user) {
    await user.prompt("Go on.");
  },
  async outcome({ repository }) {
    expect(await repository.read("../home/note.txt")).toBe("patched\n");
    expect((await readdir(repository.folder)).toSorted()).toEqual([".git", "a.txt"]);
  },
  script: {
    model: "openai/gpt-5.2",
    lines: [
      calls(["apply_patch", { patchText: patch("~/note.txt") }]),
      calls(...refused.map((file) => ["apply_patch", { patchText: patch(file) }] as const)),
      "Done.",
    ],
    transcript({ user }) {
      expect(user.shown.outline).toEqual([
        "apply_patch completed",
        "apply_patch failed",
        "apply_patch failed",
      ]);
    },
  },
};
