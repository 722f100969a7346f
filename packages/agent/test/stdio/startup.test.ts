import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** The packages that the loaded modules belong to. */
async function packagesAfter(...modules: string[]): Promise<string[]> {
  const imports = modules.map((name) => {
    const { href } = new URL(`../../src/${name}`, import.meta.url);
    return `await import(${JSON.stringify(href)});`;
  });
  const script = `
    ${imports.join("\n")}
    const { Session } = await import("node:inspector");
    const session = new Session();
    session.connect();
    const urls = [];
    session.on("Debugger.scriptParsed", ({ params }) => urls.push(params.url));
    session.post("Debugger.enable");
    process.stdout.write(JSON.stringify(urls));
    session.disconnect();
  `;
  const args = ["--conditions=@landline/source", "--input-type=module", "-e", script];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1_024 * 1_024 });
  const names = (JSON.parse(stdout) as string[]).flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  );
  return [...new Set(names)].toSorted();
}

test("`initialize` loads only the ACP SDK", async () => {
  expect(await packagesAfter("index.ts")).toEqual([]);
  expect(await packagesAfter("index.ts", "serve-stdio.ts")).toEqual([
    "@agentclientprotocol/sdk",
    "zod",
  ]);
});

test("a session is opened without unused models, servers and tools", async () => {
  const loaded = await packagesAfter("serve-stdio.ts", "core/sessions.ts", "assemble-session.ts");
  for (const heavy of [
    "ai",
    "@ai-sdk/anthropic",
    "@modelcontextprotocol/client",
    "web-tree-sitter",
    "turndown",
    "diff",
    "yaml",
    "@vscode/ripgrep",
    "@clack/prompts",
  ]) {
    expect(loaded).not.toContain(heavy);
  }
});
