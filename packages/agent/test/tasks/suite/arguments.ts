import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

export const wrongArguments: Task = {
  name: "arguments of the wrong type fail, and are shown according to the protocol",
  files: { "a.txt": "one\n" },
  async act(user) {
    await user.prompt("Read a.txt.");
  },
  async outcome({ user }) {
    expect(user.stops).toEqual(["end_turn"]);
  },
  script: {
    lines: [
      calls(
        ["read", { filePath: "a.txt", offset: "2" }],
        ["read", { filePath: "a.txt", offset: 1e300 }],
        ["read", { filePath: "a.txt", offset: 4_294_967_296 }],
        ["read", { filePath: ["a.txt"] }],
        ["bash", { command: ["ls", "-l"], workdir: 7, description: { text: "List" } }],
        ["grep", { pattern: null, path: [] }],
        ["glob", { pattern: { a: 1 } }],
        ["webfetch", { url: ["https://example.com/"] }],
        ["task", { description: ["Look"], prompt: "x", subagent_type: { id: "explore" } }],
        ["todowrite", { todos: "none" }],
        ["no_such_tool", { title: ["x"] }],
      ),
      "That was wrong.",
    ],
    transcript({ user, requests }) {
      // Messages are validated against the schema: see `faults`.
      expect(user.shown.calls.map(({ status }) => status)).toEqual(Array(11).fill("failed"));
      expect(user.shown.calls[0]).toMatchObject({
        title: "Read a.txt",
        rawInput: { filePath: "a.txt", offset: "2" },
      });
      expect(user.shown.calls[4]?.title).toBe("Run a command");
      expect(results(requests[1]!)).toContain("fits its schema");
    },
  },
};
