import { appendFile } from "node:fs/promises";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const notes = "# Notes\n\nThe meeting is on Monday.\n";
const friday = notes.replace("Monday", "Friday");

type Call = Parameters<typeof calls>[number];

const read: Call = ["read", { filePath: "notes.md" }];
const edit = (from: string, to: string): Call => [
  "edit",
  { filePath: "notes.md", oldString: from, newString: to },
];

export const unreadFile: Task = {
  name: "an existing file is not replaced before it is read; a search or cat does not count",
  files: { "notes.md": notes },
  async act(user) {
    await user.prompt(
      'Replace the text of notes.md by "# Notes" and a line with Friday instead of Monday.',
    );
  },
  async outcome({ repository }) {
    expect(await repository.read("notes.md")).toContain("Friday");
  },
  script: {
    lines: [
      calls(["bash", { command: "cat notes.md", description: "Show" }]),
      calls(["grep", { pattern: "Monday" }]),
      calls(["write", { filePath: "notes.md", content: friday }]),
      calls(edit("Monday", "Friday")),
      calls(read),
      calls(["write", { filePath: "notes.md", content: friday }]),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual([
        "bash completed",
        "grep completed",
        "write failed",
        "edit failed",
        "read completed",
        "write completed",
      ]);
      for (const index of [2, 3])
        expect(user.shown.calls[index]?.rawOutput).toMatchObject({ reason: "file-not-read" });
      expect(results(requests[3]!)).toContain("you have not read it");
      expect(results(requests[3]!)).toContain("Read notes.md with the read tool first");
      // Nobody is asked about a change that can't be made.
      expect(user.asks.filter(({ toolCall }) => toolCall.kind === "edit")).toHaveLength(1);
    },
  },
};

export const unseenChange: Task = {
  name: "changes after the read are not overwritten",
  files: { "notes.md": notes },
  async act(user, repository) {
    await user.prompt("Read notes.md with the read tool.");
    await appendFile(path.join(repository.folder, "notes.md"), "Bring cake.\n");
    await user.prompt(
      "In notes.md, the meeting is on Friday. Change that. Then append the line `And tea.` with a command, and change Friday to Sunday with the edit tool.",
    );
  },
  async outcome({ repository }) {
    const text = notes.replace("Monday", "Sunday");
    expect(await repository.read("notes.md")).toBe(`${text}Bring cake.\nAnd tea.\n`);
  },
  script: {
    lines: [
      calls(read),
      "I read it.",
      calls(["write", { filePath: "notes.md", content: friday }]),
      calls(read),
      // Two at once: the second starts where the first ends.
      calls(edit("Monday", "Thursday"), edit("Thursday", "Friday")),
      calls(["bash", { command: "echo 'And tea.' >> notes.md", description: "Append" }]),
      calls(edit("Friday", "Sunday")),
      calls(read),
      calls(edit("Friday", "Sunday")),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual([
        "read completed",
        "write failed",
        "read completed",
        "edit completed",
        "edit completed",
        "bash completed",
        "edit failed",
        "read completed",
        "edit completed",
      ]);
      for (const index of [1, 6])
        expect(user.shown.calls[index]?.rawOutput).toMatchObject({ reason: "file-changed" });
      expect(results(requests[3]!)).toContain("has changed since you last read it");
      expect(results(requests[4]!)).toContain("Bring cake.");
    },
  },
};

const patch = `*** Begin Patch
*** Update File: notes.md
@@
-The meeting is on Monday.
+The meeting is on Friday.
*** End Patch`;

export const unseenPatch: Task = {
  name: "a patch is refused for a file that was not read",
  files: { "notes.md": notes },
  async act(user) {
    await user.prompt("In notes.md, the meeting is on Friday. Change that and nothing else.");
  },
  async outcome({ repository }) {
    expect(await repository.read("notes.md")).toBe(friday);
  },
  script: {
    model: "openai/gpt-5.2",
    lines: [
      calls(["apply_patch", { patchText: patch }]),
      calls(read),
      calls(["apply_patch", { patchText: patch }]),
      "Done.",
    ],
    transcript({ user }) {
      expect(user.shown.outline).toEqual([
        "apply_patch failed",
        "read completed",
        "apply_patch completed",
      ]);
      expect(user.shown.calls[0]?.rawOutput).toMatchObject({ reason: "file-not-read" });
    },
  },
};

export const readThenForgotten: Task = {
  name: "a read stays valid after a summary, a restart and in a fork, but not after its undo",
  files: { "notes.md": notes },
  async act(user, repository) {
    await user.prompt("Read notes.md with the read tool.");
    await user.prompt("/compact");
    await user.restart();
    await user.prompt("In notes.md, change Monday to Tuesday.");
    const texts = [await repository.read("notes.md")];
    await user.fork();
    await user.prompt("In notes.md, change Tuesday to Friday.");
    texts.push(await repository.read("notes.md"));
    for (const command of ["/undo", "/undo", "/undo"]) await user.prompt(command);
    await user.prompt("In notes.md, change Monday to Sunday.");
    return [...texts, await repository.read("notes.md")];
  },
  async outcome({ acted }) {
    const days = ["Tuesday", "Friday", "Sunday"];
    expect(acted).toEqual(days.map((day) => notes.replace("Monday", day)));
  },
  script: {
    summary: "The notes were read.",
    lines: [
      calls(read),
      "I read it.",
      calls(edit("Monday", "Tuesday")),
      "Tuesday.",
      calls(edit("Tuesday", "Friday")),
      "Friday.",
      calls(edit("Monday", "Sunday")),
      calls(read),
      calls(edit("Monday", "Sunday")),
      "Sunday.",
    ],
    transcript({ user, requests }) {
      // The output was pruned from the history; that the model saw the file was not.
      expect(JSON.stringify(requests[2]?.messages)).not.toContain("The meeting is on");
      expect(user.shown.outline).toEqual([
        "read completed",
        "edit completed",
        "edit completed",
        "edit failed",
        "read completed",
        "edit completed",
      ]);
      expect(user.shown.calls[3]?.rawOutput).toMatchObject({ reason: "file-not-read" });
    },
  },
};

const task = (prompt: string): Call => [
  "task",
  { description: "Help", prompt, subagent_type: "general" },
];

export const helpersRead: Task = {
  name: "reads of a subagent and its parent are separate",
  files: { "notes.md": notes, "other.md": notes },
  async act(user) {
    await user.prompt(
      "Read notes.md. Have the general helper read other.md and change Monday to Friday in notes.md. Then change Monday to Friday in other.md yourself.",
    );
  },
  async outcome({ repository }) {
    expect(await repository.read("notes.md")).toBe(friday);
    expect(await repository.read("other.md")).toBe(friday);
  },
  script: {
    lines: [
      calls(read),
      calls(task("Read other.md; in notes.md change Monday to Friday.")),
      calls(["read", { filePath: "other.md" }]),
      calls(edit("Monday", "Friday")),
      calls(read),
      calls(edit("Monday", "Friday")),
      "The helper is done.",
      calls(
        ["edit", { filePath: "other.md", oldString: "Monday", newString: "Friday" }],
        edit("Friday", "Sunday"),
      ),
      calls(["read", { filePath: "other.md" }]),
      calls(["edit", { filePath: "other.md", oldString: "Monday", newString: "Friday" }]),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(results(requests[4]!)).toContain("you have not read it");
      expect(user.shown.outline).toEqual([
        "read completed",
        "task completed",
        "edit failed",
        "edit failed",
        "read completed",
        "edit completed",
      ]);
      expect(user.shown.calls[2]?.rawOutput).toMatchObject({ reason: "file-not-read" });
      // The parent read it before the subagent changed it.
      expect(user.shown.calls[3]?.rawOutput).toMatchObject({ reason: "file-changed" });
    },
  },
};

export const mentionedFile: Task = {
  name: "an attached file counts as read",
  files: { "notes.md": notes },
  async act(user, repository) {
    const uri = pathToFileURL(path.join(repository.folder, "notes.md")).href;
    await user.prompt("Change Monday to Thursday.", {
      type: "resource_link",
      uri,
      name: "notes.md",
    });
    const text = await repository.read("notes.md");
    await user.prompt("Now change it to Friday.", { type: "resource", resource: { uri, text } });
  },
  async outcome({ repository }) {
    expect(await repository.read("notes.md")).toBe(friday);
  },
  script: {
    lines: [
      calls(edit("Monday", "Thursday")),
      "Thursday.",
      calls(["write", { filePath: "notes.md", content: friday }]),
      "Friday.",
    ],
    transcript({ user }) {
      expect(user.shown.outline).toEqual(["edit completed", "write completed"]);
    },
  },
};

export const unseenCredential: Task = {
  name: "a write does not reveal the content of a credential",
  files: { ".env": "KEY=pelican\n", "notes.md": notes },
  async act(user) {
    user.decide = () => "reject_once";
    await user.prompt(
      "Write KEY=pelican to .env and the line Monday to notes.md, each with the write tool.",
    );
  },
  async outcome({ repository }) {
    expect(await repository.read(".env")).toBe("KEY=pelican\n");
  },
  script: {
    lines: [
      calls(["write", { filePath: ".env", content: "KEY=pelican\n" }]),
      calls(["write", { filePath: "notes.md", content: notes }]),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual(["write failed", "write completed"]);
      expect(results(requests[1]!)).toContain("you have not read it");
    },
  },
};
