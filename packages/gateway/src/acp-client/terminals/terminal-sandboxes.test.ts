import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isSkipped } from "../../../../sandbox/test/skipped.ts";
import { TerminalSandboxes } from "./terminal-sandboxes.ts";

it.skipIf(isSkipped)("fails if the search for a sandbox fails, and searches again", async () => {
  const top = await mkdtemp(join(tmpdir(), "landline-sandboxes-"));
  const folder = join(top, "data");
  try {
    const sandboxes = new TerminalSandboxes({ home: top, folder });
    // As on a full disk, the sandbox cannot create its files.
    await writeFile(folder, "");
    await expect(sandboxes.find()).rejects.toMatchObject({
      code: "internal-error",
      message: expect.stringMatching(
        /^Could not determine whether commands can be confined: .*ENOTDIR/,
      ) as string,
    });
    await rm(folder);
    expect((await sandboxes.find()).sandbox?.name).toBe("bubblewrap");
  } finally {
    await rm(top, { recursive: true, force: true });
  }
});
