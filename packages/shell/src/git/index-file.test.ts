import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitEnvironment } from "../../test/git-environment.ts";
import { parseGitIndex } from "./index-file.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const files = [
  ".env",
  ".env.example",
  "config/server.key",
  "deep/.ssh/known_hosts",
  `long/${"x".repeat(200)}/${"y".repeat(200)}/id_rsa`,
  "src/a.ts",
  "src/environment.ts",
];

async function indexWith(...steps: readonly (readonly string[])[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "landline-index-"));
  folders.push(folder);
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), "x\n");
  }
  const options = { cwd: folder, env: gitEnvironment(folder) };
  for (const step of steps) execFileSync("git", step, options);
  return readFile(join(folder, ".git/index"));
}

const credentials = files.filter((file) => /\.env$|\.key$|\.ssh|id_rsa/.test(file));
const addAll = ["add", "--force", "--all"];
const submodule = `160000,${"1".repeat(40)},modules/one`;

describe("parseGitIndex", () => {
  it.each(["2", "3", "4"])(
    "finds tracked credentials and submodules in version %s",
    async (version) => {
      const data = await indexWith(
        ["init", "--quiet"],
        addAll,
        ["update-index", "--add", "--cacheinfo", submodule],
        // Version 3 exists only with entries that need it.
        ["update-index", "--skip-worktree", "src/a.ts"],
        ["update-index", "--index-version", version],
      );
      expect(data.readUInt32BE(4)).toBe(version === "2" ? 3 : Number(version));
      expect(parseGitIndex(data, 20)).toEqual({ credentials, submodules: ["modules/one"] });
    },
  );

  it("reads version 2", async () => {
    const data = await indexWith(["init", "--quiet"], addAll);
    expect(data.readUInt32BE(4)).toBe(2);
    expect(parseGitIndex(data, 20)).toEqual({ credentials, submodules: [] });
  });

  it("parses long hashes", async () => {
    const data = await indexWith(["init", "--quiet", "--object-format=sha256"], addAll);
    expect(parseGitIndex(data, 32)).toEqual({ credentials, submodules: [] });
  });

  it("rejects an index whose names are in another file", async () => {
    const data = await indexWith(["init", "--quiet"], addAll, ["update-index", "--split-index"]);
    expect(parseGitIndex(data, 20)).toBeNull();
  });

  it("rejects other files", async () => {
    const data = await indexWith(["init", "--quiet"], addAll);
    expect(parseGitIndex(Buffer.from("not an index"), 20)).toBeNull();
    expect(parseGitIndex(data.subarray(0, 200), 20)).toBeNull();
  });
});
