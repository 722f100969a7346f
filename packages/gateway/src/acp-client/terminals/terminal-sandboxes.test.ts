import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isSkipped } from "../../../../sandbox/test/skipped.ts";
import { TerminalSandboxes } from "./terminal-sandboxes.ts";

it.skipIf(isSkipped)(
  "fails where nobody can tell whether there is a sandbox, and looks again",
  async () => {
    const top = await mkdtemp(join(tmpdir(), "landline-sandboxes-"));
    const folder = join(top, "data");
    try {
      const sandboxes = new TerminalSandboxes({ home: top, folder });
      // As on a full disk, the sandbox cannot make its files.
      await writeFile(folder, "");
      await expect(sandboxes.find()).rejects.toMatchObject({
        code: "internal-error",
        message: expect.stringMatching(
          /^Whether commands can be confined could not .*ENOTDIR/,
        ) as string,
      });
      await rm(folder);
      expect((await sandboxes.find()).sandbox?.name).toBe("bubblewrap");
    } finally {
      await rm(top, { recursive: true, force: true });
    }
  },
);
