import * as path from "node:path";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const bash = (command: string, more: object = {}) =>
  calls(["bash", { command, description: "Try", ...more }]);

export const sandboxedCommands: Task = {
  name: "commands run in a sandbox without asking, and leave it by request",
  files: { "notes.md": "# Notes\n", ".env": "SECRET=1\n", "leak.mjs": leakProgram() },
  async act(user, repository) {
    await user.setOption("permissions", "sandboxed");
    await repository.makeFolder("../outside");
    user.decide = ({ toolCall }) => {
      const shown = JSON.stringify([toolCall.title, toolCall.content]);
      if (/\.env|Keep/.test(shown)) return "reject_once";
      return /outside\/x/.test(shown) ? "allow_always" : "allow_once";
    };
    await user.prompt("Go.");
  },
  async outcome({ repository }) {
    expect(await repository.readIfThere("made.txt")).toBe("made\n");
    expect(await repository.readIfThere("../outside/x")).toBe("x\n");
    expect(await repository.readIfThere(".vscode/tasks.json")).toBeNull();
  },
  script: {
    lines: [
      // Unknown to the tables, and allowed inside.
      bash('node -e \'fs.writeFileSync("made.txt", "made\\n")\''),
      bash("node leak.mjs read .env"),
      bash("node leak.mjs hidden"),
      bash("node leak.mjs write"),
      bash("node leak.mjs connect"),
      bash("cat .env"),
      bash("node leak.mjs make"),
      "Done.",
    ],
    transcript({ user, requests, repository }) {
      const titles = user.asks.map(({ toolCall }) => toolCall.title ?? "");
      expect(titles).toEqual([
        "node leak.mjs read .env",
        "node leak.mjs hidden (stopped by the sandbox)",
        "node leak.mjs write (stopped by the sandbox)",
        "node leak.mjs connect (stopped by the sandbox)",
        "cat .env",
        "Keep .vscode, which the command made",
      ]);
      const outside = path.join(repository.folder, "../outside");
      expect(user.asks[2]?.options.map(({ name }) => name)).toEqual([
        "Run outside the sandbox once",
        `Allow changing any file in "${outside}" in this session`,
        "Reject",
      ]);
      expect(results(requests[3]!)).toContain("The person rejected that. It was not run again.");
      expect(results(requests[3]!)).not.toContain("SECRET");
      expect(results(requests[4]!)).toContain(
        "it was run again from the beginning, in the sandbox",
      );
      expect(results(requests[5]!)).toContain(
        "The sandbox kept it from connecting to host.example. The person let it run outside",
      );
      expect(user.shown.calls[0]?._meta).toMatchObject({
        landline: { execution: { confinement: { sandbox: "bubblewrap", network: "off" } } },
      });
    },
  },
};

/** Its command line does not show what it does. */
function leakProgram(): string {
  return `import fs from "node:fs";
import { lookup } from "node:dns/promises";
const [, , what, file] = process.argv;
if (what === "read") console.log(fs.readFileSync(file, "utf8"));
if (what === "hidden") console.log(fs.readFileSync("." + "env", "utf8"));
if (what === "write") fs.writeFileSync("../outside/x", "x\\n");
if (what === "make") {
  fs.mkdirSync("." + "vscode");
  fs.writeFileSync("." + "vscode/tasks.json", "{}");
}
if (what === "connect") await lookup("host.example");
`;
}
