import { symlink } from "node:fs/promises";
import * as path from "node:path";
import { mcpServerCommand } from "@landline/testing/mcp-servers";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

export const mcpTool: Task = {
  name: "tools of an MCP server are used, with permission if they may change something",
  files: { "README.md": "Nothing here.\n" },
  mcpServers: [{ name: "office", ...mcpServerCommand("tools"), env: [] }],
  async act(user) {
    await user.prompt(
      'Call the echo tool of the MCP server office with the text "pelican", then its tool change_things, and write what echo answered to ECHO.txt.',
    );
  },
  async outcome({ repository }) {
    expect((await repository.read("ECHO.txt")).trim()).toBe("pelican");
  },
  script: {
    lines: [
      calls(["office_echo", { text: "pelican" }]),
      calls(["office_change_things", {}]),
      calls(["write", { filePath: "ECHO.txt", content: "pelican\n" }]),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual([
        "office_echo completed",
        "office_change_things completed",
        "write completed",
      ]);
      expect(results(requests[1]!)).toContain("pelican");
      expect(results(requests[2]!)).toContain("changed");
      expect(user.asks.map(({ toolCall }) => toolCall.name)).toEqual([
        "office_change_things",
        "write",
      ]);
    },
  },
};

export const mcpCredential: Task = {
  name: "a read-only tool of an MCP server needs permission if its input names a credential",
  files: { "README.md": "Nothing here.\n", ".env": "KEY=pelican\n" },
  mcpServers: [{ name: "office", ...mcpServerCommand("tools"), env: [] }],
  async act(user, { folder }) {
    await symlink(".env", path.join(folder, "notes.txt"));
    await user.prompt(
      "Call the echo tool of the MCP server office three times: with the text README.md, with .env and with notes.txt.",
    );
  },
  async outcome() {
    // It has no effect.
  },
  script: {
    lines: [
      calls(["office_echo", { text: "README.md" }]),
      calls(["office_echo", { text: ".env" }]),
      calls(["office_echo", { text: "notes.txt" }]),
      "Done.",
    ],
    transcript({ user }) {
      expect(user.asks.map(({ toolCall }) => toolCall.rawInput)).toEqual([
        { text: ".env" },
        { text: "notes.txt" },
      ]);
      for (const { options, toolCall } of user.asks) {
        expect(options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
        expect(JSON.stringify(toolCall.content)).toContain(".env may hold passwords or keys");
      }
    },
  },
};
