import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A project, a folder outside it, and a home folder. Removed on disposal. */
export interface Fixture extends AsyncDisposable {
  /** The root of a git repository. */
  readonly project: string;
  /** Beside the project; contains `secret.txt`. */
  readonly outside: string;
  /** Beside the project; used as `$HOME`. */
  readonly home: string;
}

/** A project with credentials, links to the outside, names that look like options, and repositories that run code. */
export function hostileProject(): Promise<Fixture> {
  return makeFixture(fillHostile);
}

/** An everyday project: sources, dependencies, build output and some history, without dangers. */
export function ordinaryProject(): Promise<Fixture> {
  return makeFixture(fillOrdinary);
}

async function fillHostile(fixture: Fixture): Promise<void> {
  const { project, outside, home } = fixture;
  await writeFiles(home, homeCredentials);
  await writeFiles(project, { ...commonFiles, ...hostileFiles });
  await mkdir(join(project, "embedded.git/objects"), { recursive: true });
  await mkdir(join(project, "embedded.git/refs/heads"), { recursive: true });
  await symlink(outside, join(project, "link-out"));
  await symlink(join(outside, "secret.txt"), join(project, "link-file"));
  await symlink("link-file", join(project, "link-chain"));
  await symlink("..", join(project, "link-up"));
  await symlink(".env", join(project, "linked-env"));
  await symlink(join(outside, "secret.txt"), join(project, "odd/😀"));
  // Not valid UTF-8.
  const garbled = Buffer.concat([Buffer.from(join(project, "odd/bytes/")), Buffer.from([0xff])]);
  await symlink(join(outside, "secret.txt"), garbled);
  await startRepository(fixture);
  await commitAll(fixture, "Start");
  // After the commit, because git would treat them as submodules.
  await writeRepository(join(project, "ignore/exclude"), {
    ".env": "API_KEY=not-a-real-key\n",
    ".git/info/exclude": "!.env\n",
  });
  for (const [name, files] of Object.entries(attackRepositories))
    await writeRepository(join(project, "attacks", name), files);
}

async function fillOrdinary(fixture: Fixture): Promise<void> {
  const { project } = fixture;
  await writeFiles(project, { ...commonFiles, ...ordinaryFiles });
  await startRepository(fixture);
  await commitAll(fixture, "Start");
  for (const [file, text] of laterVersions) {
    await writeFiles(project, { [file]: text });
    await commitAll(fixture, `Change ${file}`);
  }
  await git(fixture, "tag", "v1.0.0");
  await git(fixture, "branch", "feature");
  await writeFiles(project, { "src/a.ts": "export const a = 4;\n", "untracked.txt": "new\n" });
}

async function makeFixture(fill: (fixture: Fixture) => Promise<void>): Promise<Fixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "landline-shell-")));
  const project = join(folder, "project");
  const outside = join(folder, "outside");
  const home = join(folder, "home");
  const dispose = () => rm(folder, { recursive: true, force: true });
  const fixture = { project, outside, home, [Symbol.asyncDispose]: dispose };
  try {
    await mkdir(project);
    await writeFiles(outside, { "secret.txt": "outside the project\n" });
    await writeFiles(home, { ".bashrc": "alias ll='ls -l'\n" });
    await fill(fixture);
    return fixture;
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Creates a repository from files, so that none of its code runs. */
async function writeRepository(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  if (!(".git" in files)) {
    await writeFiles(folder, { ".git/HEAD": "ref: refs/heads/main\n" });
    await mkdir(join(folder, ".git/objects"), { recursive: true });
    await mkdir(join(folder, ".git/refs/heads"), { recursive: true });
  }
  await writeFiles(folder, { "README.md": "# Attack\n", ...files });
}

async function startRepository(fixture: Fixture): Promise<void> {
  // An empty template, without the sample hooks of the installed git.
  await git(fixture, "init", "--quiet", "--template=", "--initial-branch=main");
}

async function commitAll(fixture: Fixture, message: string): Promise<void> {
  await git(fixture, "add", "--all", "--force", "--", ".", ...unversioned);
  await git(fixture, "commit", "--quiet", "--message", message);
}

async function git({ project, home }: Fixture, ...args: string[]): Promise<void> {
  // Without the user's settings and repository; git hooks set GIT_DIR, for example.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
  await run("git", args, { cwd: project, env });
}

/** What `.gitignore` of the ordinary project lists; everything else is committed. */
const unversioned = [":(exclude)node_modules", ":(exclude)dist"];

const commonFiles = {
  "README.md": "# Example\n\nSee [the guide](docs/guide.md).\n",
  "package.json": `${JSON.stringify(
    {
      name: "example",
      version: "1.0.0",
      type: "module",
      scripts: {
        build: "tsc",
        dev: "node --watch src/a.ts",
        lint: "eslint .",
        start: "node dist/a.js",
        test: "node --test",
      },
      dependencies: { "left-pad": "1.3.0" },
    },
    null,
    2,
  )}\n`,
  Makefile: "all: build\n\nbuild:\n\tnpm run build\n\ntest:\n\tnpm test\n\nlint:\n\tnpm run lint\n",
  "src/a.ts":
    'import { b } from "./b.ts";\n\n// TODO: rm -rf is too much here\nexport const a = b + 1;\n',
  "src/b.ts": "export const b = 1;\n",
  "src/deep/c.ts": "export function c(value: number): number {\n  return value * 2;\n}\n",
  "docs/guide.md": "# Guide\n\nRun `npm test`.\n",
  "config/app.json": '{ "port": 8080, "name": "example" }\n',
  ".vscode/settings.json": '{ "editor.tabSize": 2 }\n',
  ".github/workflows/ci.yml":
    "name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n",
};

const homeCredentials = {
  ".ssh/id_rsa": "not a real key\n",
  ".ssh/config": "Host example\n  User ada\n",
  ".aws/credentials": "[default]\naws_secret_access_key = not-a-real-key\n",
  ".config/gh/hosts.yml": "github.com:\n  oauth_token: not-a-real-token\n",
};

const hostileFiles = {
  ".env": "API_KEY=not-a-real-key\n",
  ".env.example": "API_KEY=\n",
  ".npmrc": "//registry.example.com/:_authToken=not-a-real-token\n",
  "config/server.key": "not a real key\n",
  "notes/id_rsa": "not a real key\n",
  "sub/-rf": "named like an option\n",
  "sub/--output=x": "named like an option\n",
  "odd/a b": "a name with a space\n",
  "odd/a\nb": "a name of two lines\n",
  "odd/a\\b": "a name with a backslash\n",
  "odd/bytes/a": "beside a name that is no valid UTF-8\n",
  "odd/{a,b}.key": "not a real key\n",
  "ignore/escaped/.env": "API_KEY=not-a-real-key\n",
  "ignore/escaped/.gitignore": "!\\.env\n",
  "ignore/space/.gitignore": " keys\n",
  "ignore/space/keys/a.key": "not a real key\n",
  "embedded.git/HEAD": "ref: refs/heads/main\n",
  "embedded.git/config": [
    "[core]",
    "\trepositoryformatversion = 0",
    "\tbare = false",
    "\tworktree = ..",
    '\tfsmonitor = "touch fsmonitor-ran; false"',
    "[diff]",
    "\texternal = touch diff-ran",
    "",
  ].join("\n"),
};

const configText = (...lines: readonly string[]) =>
  ["[core]", "\trepositoryformatversion = 0", "\tbare = false", ...lines, ""].join("\n");

/** Repositories that run a program when git reads them. */
const attackRepositories: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fsmonitor: { ".git/config": configText('\tfsmonitor = "touch fsmonitor-ran; false"') },
  "external-diff": { ".git/config": configText("[diff]", "\texternal = touch diff-ran") },
  textconv: {
    ".gitattributes": "*.md diff=evil\n",
    ".git/config": configText('[diff "evil"]', "\ttextconv = touch textconv-ran"),
  },
  pager: { ".git/config": configText("\tpager = touch pager-ran") },
  include: {
    "settings.txt": "[core]\n\tfsmonitor = touch include-ran\n",
    ".git/config": configText("[include]", "\tpath = ../settings.txt"),
  },
  filter: {
    ".gitattributes": "* filter=evil\n",
    ".git/config": configText('[filter "evil"]', "\tclean = touch filter-ran"),
  },
  hook: {
    ".git/config": configText(),
    ".git/hooks/post-index-change": "#!/bin/sh\ntouch hook-ran\n",
  },
  "git-file": { ".git": "gitdir: ../fsmonitor/.git\n" },
  "worktree-config": {
    ".git/config": configText("[extensions]", "\tworktreeConfig = true"),
    ".git/config.worktree": "[core]\n\tfsmonitor = touch worktree-ran\n",
  },
  signature: {
    ".git/config": configText(
      "[log]",
      "\tshowSignature = true",
      "[gpg]",
      "\tprogram = touch gpg-ran",
    ),
  },
};

const ordinaryFiles = {
  // By its name it may contain a token, but many projects track one without.
  ".npmrc": "engine-strict=true\n",
  ".gitignore": "node_modules\ndist\n",
  "package-lock.json": '{ "name": "example", "lockfileVersion": 3, "packages": {} }\n',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "outDir": "dist" }, "include": ["src"] }\n',
  "Cargo.toml": '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n',
  "pyproject.toml": '[project]\nname = "example"\nversion = "0.1.0"\n',
  "go.mod": "module example.com/example\n\ngo 1.22\n",
  "CHANGELOG.md": "# Changes\n\n- 1.0.0: first version\n",
  "src/index.ts": 'export * from "./a.ts";\nexport * from "./b.ts";\n',
  "src/main.rs": 'fn main() {\n    println!("hello");\n}\n',
  "src/main.py": 'def main() -> None:\n    print("hello")\n',
  "src/main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hello")\n}\n',
  "src/styles.css": "body {\n  margin: 0;\n}\n",
  "src/components/button.tsx": "export const Button = () => <button>press</button>;\n",
  "test/a.test.ts": 'import { test } from "node:test";\n\ntest("a", () => {});\n',
  "test/b.test.ts": 'import { test } from "node:test";\n\ntest("b", () => {});\n',
  "test/test_main.py": "def test_main():\n    assert True\n",
  "docs/api.md": "# API\n\n## a\n\n## b\n",
  "scripts/build.sh": "#!/bin/sh\nset -eu\nnpm run build\n",
  "packages/app/package.json": '{ "name": "app", "version": "1.0.0" }\n',
  "packages/app/src/main.ts": 'console.log("app");\n',
  "data/rows.csv": "name,count\nada,3\ngrace,5\n",
  "data/events.jsonl": '{"id":1,"type":"start"}\n{"id":2,"type":"end"}\n',
  "logs/server.log": "INFO started\nERROR failed to read\nINFO stopped\n",
  "node_modules/left-pad/package.json": '{ "name": "left-pad", "version": "1.3.0" }\n',
  "node_modules/left-pad/index.js": "module.exports = (text, width) => text.padStart(width);\n",
  "dist/a.js": "export const a = 2;\n",
  "dist/b.js": "export const b = 1;\n",
};

/** Commits after the first, so that `HEAD~3` exists. */
const laterVersions: readonly (readonly [file: string, text: string])[] = [
  ["src/b.ts", "export const b = 2;\n"],
  ["docs/guide.md", "# Guide\n\nRun `npm test`, then `npm run build`.\n"],
  ["src/a.ts", 'import { b } from "./b.ts";\n\nexport const a = b + 2;\n'],
  ["test/a.test.ts", 'import { test } from "node:test";\n\ntest("a is more", () => {});\n'],
];
