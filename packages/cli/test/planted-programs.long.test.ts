import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isSkipped } from "../../sandbox/test/skipped.ts";
import { Home } from "./landline.ts";

/** Every program that Landline searches by name. */
const names = ["git", "bwrap", "bash", "sh", "perl", "python3", "rg", "node", "readlink", "claude"];

/** Writes its name to a file that no confined program can write, and does nothing else. */
async function plant(home: Home, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of [...names, "own-agent"]) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\necho ${name} >> '${home.path("ran")}'\nexit 1\n`);
    await chmod(file, 0o755);
  }
}

const ran = (home: Home) => readFile(home.path("ran"), "utf8").catch(() => "");

async function run(home: Home, path: readonly string[], words: readonly string[]) {
  const { PATH = "" } = process.env;
  const running = home.start(["run", ...words, "--cwd", "project", "--yes"], {
    PATH: [...path, ...PATH.split(delimiter)].join(delimiter),
  });
  running.child.stdin.end();
  return running.ended;
}

describe.skipIf(isSkipped)("programs in a project that is on the PATH", () => {
  it.each(["node_modules/.bin", "bin", "tools/bin"])(
    "are not run by Landline itself: %s",
    async (name) => {
      await using home = await Home.make();
      const folder = home.path(`project/${name}`);
      await plant(home, folder);
      await writeFile(home.path("project/act.sh"), "echo done > made\n");
      const made = await run(home, [folder], ["run /bin/sh act.sh", "--agent", "landline"]);
      expect(made.stderr).not.toContain("rror");
      expect(await readFile(home.path("project/made"), "utf8")).toBe("done\n");
      expect(await ran(home)).toBe("");
    },
  );

  it("are not agents", async () => {
    await using home = await Home.make();
    await plant(home, home.path("project/bin"));
    const agents = [{ id: "own", command: "own-agent" }];
    await writeFile(home.path("config.json"), JSON.stringify({ port: 0, agents }));
    for (const path of [home.path("project/bin"), "bin"]) {
      const { code, stderr } = await run(home, [path], ["hello", "--agent", "own"]);
      expect(code).not.toBe(0);
      expect(stderr).toContain("own-agent");
    }
    expect(await ran(home)).toBe("");
  });

  it("can be installed by npm in the sandbox, and are still found by users", async () => {
    await using home = await Home.make();
    const folder = home.path("project/node_modules/.bin");
    await mkdir(folder, { recursive: true });
    const script = `printf '#!/bin/sh\\necho installed > made\\n' > node_modules/.bin/new-tool
chmod +x node_modules/.bin/new-tool && new-tool\n`;
    await writeFile(home.path("project/act.sh"), script);
    const { stderr } = await run(home, [folder], ["run sh act.sh", "--agent", "landline"]);
    // Only about the command itself.
    expect(stderr.match(/^\? Permission/gm)).toHaveLength(1);
    expect(await readFile(home.path("project/made"), "utf8")).toBe("installed\n");
  });
});
