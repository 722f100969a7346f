import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SearchScope } from "../line-facts.ts";
import { FileSnapshot } from "./file-snapshot.ts";
import { credentialsBelow } from "./credentials-below.ts";

let project: string;
let outside: string;

beforeEach(async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "landline-below-")));
  project = join(folder, "project");
  outside = join(folder, "outside");
  await fill({ "src/a.ts": "" });
  await mkdir(outside);
  await writeFile(join(outside, "x"), "");
});

afterEach(() => rm(dirname(project), { recursive: true, force: true }));

async function fill(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
}

const everything: SearchScope = {
  hidden: true,
  ignored: true,
  links: false,
  excludes: [],
  includes: [],
};
const visible: SearchScope = { ...everything, hidden: false, ignored: false };

/** The found path relative to the project, or another result. */
async function found(scope: SearchScope, below = "."): Promise<string | null> {
  const result = await credentialsBelow(
    join(project, below),
    scope,
    [project],
    new FileSnapshot([project]),
  );
  if (result === null || result.kind === "too-many") return result?.kind ?? null;
  return `${result.kind} ${result.path.slice(project.length + 1)}`;
}

describe("credentials below a folder", () => {
  it("finds hidden files only where they are searched", async () => {
    await fill({ ".env": "" });
    expect(await found(everything)).toBe("credential .env");
    expect(await found(visible)).toBeNull();
    expect(await found(everything, "src")).toBeNull();
  });

  it("finds keys that are not hidden, and files in credential folders", async () => {
    await fill({ "config/server.key": "" });
    expect(await found(visible)).toBe("credential config/server.key");
    await rm(join(project, "config"), { recursive: true });
    await fill({ ".aws/any": "" });
    expect(await found(everything)).toBe("credential .aws/any");
  });

  it("reads only what is included", async () => {
    await fill({ ".env": "", ".env.ts": "" });
    expect(await found({ ...everything, includes: ["*.md"] })).toBeNull();
    expect(await found({ ...everything, includes: ["*.ts"] })).toBe("credential .env.ts");
    expect(await found({ ...visible, includes: ["*.ts"] })).toBeNull();
    expect(await found({ ...visible, includes: ["*.ts"], includesWin: true })).toBe(
      "credential .env.ts",
    );
  });

  it("distinguishes excluded files and folders", async () => {
    await fill({ "keys/a.pem": "" });
    expect(await found({ ...everything, excludedFolders: ["keys"] })).toBeNull();
    expect(await found({ ...everything, excludedFolders: ["./keys"] })).toBeNull();
    expect(await found({ ...everything, excludes: ["keys"] })).toBeNull();
    expect(await found({ ...everything, excludedFiles: ["*.pem"] })).toBeNull();
    expect(await found({ ...everything, excludedFiles: ["keys"] })).toBe("credential keys/a.pem");
    expect(await found({ ...everything, excludedFolders: ["*.pem"] })).toBe(
      "credential keys/a.pem",
    );
    expect(await found({ ...everything, excludedFolders: ["./src"] })).toBe(
      "credential keys/a.pem",
    );
  });

  it.each([".[[:alpha:]]nv", ".[!a]nv", String.raw`\.env`, "[.]env", "{.env,x}"])(
    "takes %s as a name of .env",
    async (glob) => {
      await fill({ ".env": "" });
      expect(await found({ ...everything, includes: [glob] })).toBe("credential .env");
      expect(await found({ ...visible, includes: [glob], includesWin: true })).not.toBeNull();
    },
  );

  it.each([".ENV", ".[xyz]*", "{.env,x}", ".E*", String.raw`.e\nv`, "*nv.*"])(
    "does not take %s as an exclusion of .env",
    async (glob) => {
      await fill({ ".env": "" });
      expect(await found({ ...everything, excludes: [glob] })).toBe("credential .env");
    },
  );

  it.each([".env", ".e*", "?env", "*"])("takes %s as an exclusion of .env", async (glob) => {
    await fill({ ".env": "" });
    expect(await found({ ...everything, excludes: [glob] })).toBeNull();
  });

  it("excludes ignored folders of a repository", async () => {
    await fill({ ".gitignore": "vendor\n/top/\n", "vendor/a.pem": "", "top/a.pem": "" });
    expect(await found(visible)).toMatch(/^credential /);
    await mkdir(join(project, ".git"));
    expect(await found(visible)).toBeNull();
    expect(await found({ ...visible, ignored: true })).toMatch(/^credential /);
    await fill({ "src/top/a.pem": "" });
    expect(await found(visible)).toBe("credential src/top/a.pem");
  });

  it("searches a repository inside another", async () => {
    await fill({ ".gitignore": "vendor\n", "sub/vendor/a.pem": "" });
    await mkdir(join(project, ".git"));
    expect(await found(visible)).toBeNull();
    await mkdir(join(project, "sub/.git"));
    expect(await found(visible)).toBe("credential sub/vendor/a.pem");
  });

  it.each([
    [".gitignore", "!.env"],
    [".ignore", "!.e*"],
    [".rgignore", "!/.env"],
    ["src/.ignore", "!.env"],
    [".agignore", "!.env"],
    [".gitignore", String.raw`!\.env`],
    [".gitignore", "!.[[:alpha:]]nv"],
    [".gitignore", "!.[/e]nv"],
    ["../.ignore", "!.env"],
    [".git/info/exclude", "!.env"],
    ["src/.git/info/exclude", "!.env"],
  ])("finds a hidden file that %s includes by %s", async (name, line) => {
    await fill({ ".env": "", "src/.env": "", [name]: `${line}\n` });
    expect(await found(visible)).toMatch(/^credential (?:src\/)?\.env$/);
  });

  it.each(["!.env.example", "!.yarn/patches", "!.yarn/releases/**", "!*/"])(
    "does not take %s as a line that includes .env",
    async (line) => {
      await fill({ ".env": "", ".yarn/x.pem": "", ".gitignore": `${line}\n` });
      const isFolders = line === "!*/";
      expect(await found(visible)).toBe(isFolders ? "credential .yarn/x.pem" : null);
    },
  );

  it("reads the ignore files above the repository", async () => {
    await fill({ "sub/.env": "", "sub/.git/HEAD": "", ".gitignore": "!.env\n" });
    expect(await found(visible, "sub")).toBeNull();
    await fill({ ".ignore": "!.env\n" });
    expect(await found(visible, "sub")).toBe("credential sub/.env");
  });

  it("reads the exclusions of a linked working tree from its repository", async () => {
    const parts = { "refs/x": "", "objects/x": "", HEAD: "ref: refs/heads/main\n" };
    for (const [name, text] of Object.entries(parts)) await fill({ [`main/.git/${name}`]: text });
    await fill({
      "main/.git/worktrees/one/HEAD": "ref: refs/heads/one\n",
      "main/.git/worktrees/one/commondir": "../..\n",
      "one/.git": `gitdir: ${project}/main/.git/worktrees/one\n`,
      "one/.env": "",
    });
    expect(await found(visible, "one")).toBeNull();
    await fill({ "main/.git/info/exclude": "!.env\n" });
    expect(await found(visible, "one")).toBe("credential one/.env");
  });

  it("excludes nothing if the repository is not known or the ignore file is too long", async () => {
    await fill({ "one/.env": "", "one/.git": "gitdir: ../nowhere\n" });
    expect(await found(visible, "one")).toBe("credential one/.env");
    await rm(join(project, "one"), { recursive: true });
    await fill({ ".env": "", ".ignore": "#\n".repeat(600_000) });
    expect(await found(visible)).toBe("credential .env");
  });

  it.each([" keys", "keys x", String.raw`\keys`, "#keys"])(
    "does not take the line %j as an excluded folder",
    async (line) => {
      await fill({ ".gitignore": `${line}\n`, "keys/a.pem": "", ".git/HEAD": "" });
      expect(await found(visible)).toBe("credential keys/a.pem");
    },
  );

  it("searches a folder again if a link bypasses the ignore files", async () => {
    await fill({ ".git/HEAD": "", "a/.gitignore": "keys\n", "b/c/d/keys/a.pem": "" });
    await symlink("../b/c/d", join(project, "a/link"));
    expect(await found({ ...visible, links: true })).toBe("credential b/c/d/keys/a.pem");
  });

  it("does not treat a link as an ignored folder", async () => {
    await fill({ ".git/HEAD": "", ".gitignore": "keys/\n", ".hidden/a.pem": "" });
    await symlink(".hidden", join(project, "keys"));
    expect(await found({ ...visible, links: true })).toBe("credential .hidden/a.pem");
  });

  it("reports names that are not valid UTF-8", async () => {
    const garbled = (below: string) =>
      Buffer.concat([Buffer.from(join(project, below, "/")), Buffer.from([0xff])]);
    await writeFile(garbled("."), "");
    expect(await found({ ...everything, links: true })).toBeNull();
    await symlink(outside, garbled("src"));
    expect(await found(everything)).toBeNull();
    expect(await found({ ...everything, links: true })).toBe("too-many");
    await rm(join(project, "src"), { recursive: true });
    await mkdir(join(project, "src"));
    await mkdir(garbled("src"));
    expect(await found(everything)).toBe("too-many");
    await symlink(garbled("src"), join(project, "link"));
    expect(await found({ ...everything, links: true, excludedFolders: ["src"] })).toBe("too-many");
    const disk = new FileSnapshot([project]);
    const real = await realpath(join(project, "link"));
    expect(await credentialsBelow(real, everything, [project], disk)).toEqual({ kind: "too-many" });
  });

  it("follows links if the scope says so", async () => {
    await fill({ ".env": "", ".keys/a.pem": "" });
    await symlink(".env", join(project, "notes"));
    expect(await found(visible)).toBeNull();
    expect(await found({ ...visible, links: true })).toBe("credential notes");
    await rm(join(project, "notes"));
    await symlink(".keys", join(project, "keys"));
    expect(await found({ ...visible, links: true })).toBe("credential .keys/a.pem");
  });

  it("finds a link to the outside, even if only names are read", async () => {
    await symlink(outside, join(project, "src/out"));
    expect(await found(everything)).toBeNull();
    expect(await found({ ...everything, links: true })).toBe("link-out src/out");
    expect(await found({ ...everything, links: true, namesOnly: true })).toBe("link-out src/out");
  });

  it("allows reading names", async () => {
    await fill({ ".env": "" });
    expect(await found({ ...everything, links: true, namesOnly: true })).toBeNull();
  });

  it("ends if links form a cycle", async () => {
    await symlink("..", join(project, "src/up"));
    expect(await found({ ...everything, links: true })).toBeNull();
  });

  it("gives up on a tree that is too large", async () => {
    await mkdir(join(project, "many"));
    execFileSync("/bin/sh", ["-c", "seq 10001 | xargs mkdir"], { cwd: join(project, "many") });
    expect(await found(everything)).toBe("too-many");
    expect(await found({ ...everything, excludedFolders: ["many"] })).toBeNull();
  });
});
