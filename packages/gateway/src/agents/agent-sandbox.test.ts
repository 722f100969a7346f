import { chmod, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import type { ProcessAgent } from "./agent.ts";
import { AgentSandboxes } from "./agent-sandbox.ts";

test.skipIf(isSkipped)(
  "a session in the home folder does not open it, not even by a link",
  async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), "landline-agent-sandbox-")));
    const home = join(top, "home");
    await mkdir(home);
    await symlink(home, join(top, "link"));
    const logger = { info: () => {}, warn: () => {} };
    const folder = join(top, "data");
    const sandboxes = new AgentSandboxes({ home, folder, environment: {}, logger });
    const sandbox = { write: [], read: [], caches: [], network: "off" };
    const entry = { id: "one", name: "One", sandbox } as unknown as ProcessAgent;
    for (const cwd of [home, join(top, "link")]) {
      const confined = await sandboxes.confine(entry, { file: "/bin/true", args: [], cwd }, [cwd]);
      const { args } = confined.call;
      const writable = args.filter((_, index) => args[index - 1] === "--bind");
      expect(writable).toEqual([]);
      // `fs/*` asks the same sandbox.
      expect(confined.permits?.("read", join(home, "notes"))).toBe(false);
      expect(confined.permits?.("write", join(home, "notes"))).toBe(false);
      await confined.close();
    }
    await chmod(join(top, "data/sandbox/unreadable-folder"), 0o700);
    await rm(top, { recursive: true });
  },
);
