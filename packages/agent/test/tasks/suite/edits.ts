import { appendFile } from "node:fs/promises";
import * as path from "node:path";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const price = `export function withTax(net) {
  const rate = 0.16;
  return net + net * rate;
}
`;

export const editAgain: Task = {
  name: "an edit with a wrong text fails, and the correct one succeeds",
  files: { "src/price.js": price, "package.json": '{ "type": "module" }\n' },
  async act(user) {
    await user.prompt("The tax in src/price.js is 19 percent, not 16. Correct it.");
  },
  async outcome({ user, repository }) {
    expect(user.stops).toEqual(["end_turn"]);
    const script = 'import { withTax } from "./src/price.js"; console.log(withTax(100));';
    const { output } = await repository.node("--input-type=module", "--eval", script);
    expect(output.trim()).toBe("119");
    expect(await repository.changed()).toEqual(["src/price.js"]);
  },
  script: {
    lines: [
      calls(["read", { filePath: "src/price.js" }]),
      calls([
        "edit",
        { filePath: "src/price.js", oldString: "const tax = 16;", newString: "const tax = 19;" },
      ]),
      calls([
        "edit",
        {
          filePath: "src/price.js",
          oldString: "const rate = 0.16;",
          newString: "const rate = 0.19;",
        },
      ]),
      "The tax is 19 percent now.",
    ],
    transcript({ user, repository, requests }) {
      expect(user.shown.outline).toEqual(["read completed", "edit failed", "edit completed"]);
      expect(results(requests[1]!)).toContain("const rate = 0.16;");
      expect(results(requests[2]!)).toMatch(/not found|no place|nowhere|does not/i);
      expect(user.asks).toHaveLength(1);
      const diff = {
        type: "diff",
        path: path.join(repository.folder, "src/price.js"),
        oldText: price,
        newText: price.replace("0.16", "0.19"),
      };
      expect(user.asks[0]?.toolCall.content).toContainEqual(diff);
      const edited = user.shown.calls.at(-1);
      expect(edited?.content).toContainEqual(diff);
      expect(edited?.states).toEqual(["pending", "in_progress", "completed"]);
      expect(edited?.locations).toEqual([{ path: diff.path, line: 2 }]);
      expect(user.shown.said).toBe("The tax is 19 percent now.");
    },
  },
};

type Call = Parameters<typeof calls>[number];

const renamed = ["src/user.js", "src/report.js", "src/main.js", "README.md"];
const rename = (filePath: string): Call => [
  "edit",
  { filePath, oldString: "fetchUser", newString: "loadAccount", replaceAll: true },
];

export const renameEverywhere: Task = {
  name: "a function is renamed in every file",
  files: {
    "package.json": '{ "type": "module" }\n',
    "src/user.js": "export function fetchUser(id) {\n  return { id, name: `user ${id}` };\n}\n",
    "src/report.js":
      'import { fetchUser } from "./user.js";\n\nexport const report = (id) => fetchUser(id).name;\n',
    "src/main.js":
      'import { report } from "./report.js";\nimport { fetchUser } from "./user.js";\n\nconsole.log(report(1), fetchUser(2).id);\n',
    "README.md": "`fetchUser(id)` gives a user.\n",
  },
  async act(user) {
    await user.prompt(
      "Rename the function fetchUser to loadAccount everywhere in this project, documentation included.",
    );
  },
  async outcome({ repository }) {
    for (const file of renamed) {
      const text = await repository.read(file);
      expect(text).not.toContain("fetchUser");
      expect(text).toContain("loadAccount");
    }
    expect(await repository.node("src/main.js")).toEqual({ code: 0, output: "user 1 2\n" });
  },
  script: {
    lines: [
      calls(["grep", { pattern: "fetchUser" }]),
      calls(...renamed.map((filePath): Call => ["read", { filePath }])),
      calls(...renamed.map(rename)),
      "Renamed in four files.",
    ],
    transcript({ user, requests }) {
      for (const file of renamed) expect(results(requests[1]!)).toContain(file);
      expect(user.shown.outline).toEqual([
        "grep completed",
        ...Array<string>(4).fill("read completed"),
        ...Array<string>(4).fill("edit completed"),
      ]);
      expect(user.asks).toHaveLength(4);
      expect(requests[3]?.toolResults).toHaveLength(4);
    },
  },
};

export const changedMeanwhile: Task = {
  name: "a file that changes while the person looks at the diff keeps that change",
  files: { "notes.md": "# Notes\n\nThe meeting is on Monday.\n" },
  async act(user, repository) {
    let asked = 0;
    user.decide = async () => {
      asked += 1;
      if (asked === 1) await appendFile(path.join(repository.folder, "notes.md"), "Bring cake.\n");
      return "allow_once" as const;
    };
    await user.prompt("In notes.md, the meeting is on Friday. Change that and nothing else.");
  },
  async outcome({ repository }) {
    expect(await repository.read("notes.md")).toBe(
      "# Notes\n\nThe meeting is on Friday.\nBring cake.\n",
    );
  },
  script: {
    lines: [
      calls(["read", { filePath: "notes.md" }]),
      calls(["edit", { filePath: "notes.md", oldString: "Monday", newString: "Friday" }]),
      calls(["read", { filePath: "notes.md" }]),
      calls(["edit", { filePath: "notes.md", oldString: "Monday", newString: "Friday" }]),
      "It is on Friday now, and somebody wrote about cake meanwhile.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual([
        "read completed",
        "edit failed",
        "read completed",
        "edit completed",
      ]);
      expect(user.shown.calls[1]?.rawOutput).toMatchObject({ reason: "file-changed" });
      expect(results(requests[3]!)).toContain("Bring cake.");
      expect(user.asks).toHaveLength(2);
    },
  },
};

const patch = `*** Begin Patch
*** Update File: src/greeting.js
@@
-export const greeting = "Hello";
+export const greeting = "Good morning";
*** Add File: src/farewell.js
+export const farewell = "Good night";
*** Delete File: src/old.js
*** End Patch`;

export const patchFiles: Task = {
  name: "a patch changes, adds and removes files together",
  files: {
    "package.json": '{ "type": "module" }\n',
    "src/greeting.js": 'export const greeting = "Hello";\n',
    "src/old.js": "export const old = true;\n",
  },
  async act(user) {
    await user.prompt(
      'In src: make the greeting "Good morning", add farewell.js that exports `farewell` = "Good night", and delete old.js.',
    );
  },
  async outcome({ repository }) {
    const script =
      'import { greeting } from "./src/greeting.js"; import { farewell } from "./src/farewell.js"; console.log(greeting, farewell);';
    const { output } = await repository.node("--input-type=module", "--eval", script);
    expect(output.trim()).toBe("Good morning Good night");
    expect(await repository.readIfThere("src/old.js")).toBeNull();
  },
  script: {
    model: "openai/gpt-5.2",
    lines: [
      calls(["read", { filePath: "src/greeting.js" }], ["read", { filePath: "src/old.js" }]),
      calls(["apply_patch", { patchText: patch }]),
      "Done.",
    ],
    async transcript({ user, repository, requests }) {
      const offered = requests[0]?.tools.map(({ name }) => name);
      expect(offered).toContain("apply_patch");
      expect(offered).not.toContain("edit");
      expect(requests[0]?.provider).toBe("openai-responses");
      expect(user.shown.outline).toEqual([
        "read completed",
        "read completed",
        "apply_patch completed",
      ]);
      expect(user.asks).toHaveLength(1);
      const diffs = user.shown.calls[2]?.content?.filter(({ type }) => type === "diff");
      expect(diffs).toHaveLength(3);
      expect(await repository.changed()).toEqual([
        "src/greeting.js",
        "src/old.js",
        "src/farewell.js",
      ]);
    },
  },
};
