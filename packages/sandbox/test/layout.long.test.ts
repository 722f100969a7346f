import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ConfinedProject } from "./confined-project.ts";
import { isSkipped } from "./skipped.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

function withOnPath(folder: string): void {
  vi.stubEnv("PATH", `${process.env["PATH"]}:${folder}`);
}

describe.skipIf(isSkipped)("a hidden folder", () => {
  const files = { "tools/data/secret": "SECRET", "tools/agent.sh": "", "tools/seen": "seen" };

  test.each([
    ["the home folder that can be read", (home: string) => ({ read: [home] })],
    ["a folder that can be read", (home: string) => ({ read: [join(home, "tools")] })],
    ["a cache", (home: string) => ({ caches: [join(home, "tools")] })],
    ["the folder of a script", () => ({})],
  ])("is not visible in %s", async (_, policyFor) => {
    await using made = await ConfinedProject.make(files);
    const policy = { hide: [join(made.home, "tools/data")], ...policyFor(made.home) };
    const call = { scripts: [join(made.home, "tools/agent.sh")] };
    const said = await made.run(
      "cat ~/tools/seen ~/tools/data/secret; ls ~/tools/data",
      policy,
      call,
    );
    expect(said).toMatch(/^seen.*secret: Permission denied\nls: .*Permission denied\n$/s);
  });

  test("is not visible in the folder of a script below /tmp", async () => {
    await using made = await ConfinedProject.make({});
    const beside = { "agent/agent.sh": "", "agent/seen": "seen", "agent/data/secret": "SECRET" };
    for (const [name, text] of Object.entries(beside)) {
      await mkdir(join(made.top, name, ".."), { recursive: true });
      await writeFile(join(made.top, name), text);
    }
    const policy = { hide: [join(made.top, "agent/data")] };
    const call = { scripts: [join(made.top, "agent/agent.sh")] };
    const said = await made.run(`cd ${made.top}/agent && cat seen data/secret`, policy, call);
    expect(said).toMatch(/^seen.*secret: Permission denied\n$/s);
  });
});

describe.skipIf(isSkipped)("a path whose links a confined program can change", () => {
  const secret = { "private/notes": "mine", ".ssh/id_rsa": "KEY" };

  test("shows nothing, as a folder of the session below another one", async () => {
    await using made = await ConfinedProject.make({ ...secret, "project/a/b/x": "" });
    const write = [made.project, made.at("a/b")];
    expect(
      await made.run(`mv a old; mkdir a; ln -s ${made.home} a/b; ls`, { write }),
    ).not.toContain("cannot");
    const said = await made.run("cat a/b/private/notes; echo x > a/b/new", { write });
    expect(said).toMatch(/notes: No such file or directory\n.*(?:Read-only|No such file)/);
    expect(await readdir(made.home)).not.toContain("new");
  });

  test.each(["write", "read"] as const)("shows nothing, as a place to %s", async (kind) => {
    await using made = await ConfinedProject.make(secret);
    await symlink(join(made.home, "private"), made.at("link"));
    const policy = { write: [made.project], [kind]: [made.project, made.at("link")] };
    const said = await made.run("echo started; cat link/notes", policy);
    expect(said).toMatch(/^started\n.*notes: No such file or directory\n$/);
  });

  test.each(["node_modules/.bin", "node_modules"])(
    "shows nothing, as a folder on the PATH: %s",
    async (link) => {
      await using made = await ConfinedProject.make({ ...secret, "private/.bin/x": "" });
      withOnPath(made.at("node_modules/.bin"));
      await made.run(
        `mkdir -p $(dirname ${link}); ln -s ~${link === "node_modules" ? "/private" : ""} ${link}`,
      );
      const said = await made.run("echo started; cat ~/private/notes ~/.ssh/id_rsa; ls ~");
      expect(said).toMatch(/^started\n/);
      expect(said).not.toMatch(/mine|KEY|private$/m);
    },
  );

  test("shows nothing, as a script of the program", async () => {
    await using made = await ConfinedProject.make(secret);
    await symlink(join(made.home, ".ssh/id_rsa"), made.at("agent.js"));
    const call = { scripts: [made.at("agent.js")] };
    expect(await made.run("cat ~/.ssh/id_rsa", {}, call)).toContain("No such file or directory");
  });
});

describe.skipIf(isSkipped)("a folder on the PATH behind a link", () => {
  test.each([
    ["relative", "17"],
    ["absolute", "ABSOLUTE"],
  ])("can be used by both of its names: %s", async (_, target) => {
    await using made = await ConfinedProject.make({ ".sdkman/java/17/bin/tool": "" });
    const current = join(made.home, ".sdkman/java/current");
    await symlink(target.replace("ABSOLUTE", join(made.home, ".sdkman/java/17")), current);
    withOnPath(join(current, "bin"));
    expect(await made.run(`ls ${current}/bin ~/.sdkman/java/17/bin`)).toMatch(/tool\n[^]*tool\n$/);
  });

  test("is a cache outside the home folder, and is writable by both names", async () => {
    await using made = await ConfinedProject.make({ ".cache/x": "" });
    const elsewhere = join(made.top, "elsewhere");
    await mkdir(elsewhere);
    await symlink("../../elsewhere", join(made.home, ".cache/huggingface"));
    const line = `echo x > ~/.cache/huggingface/one && echo x > ${elsewhere}/two`;
    expect(await made.run(line, { caches: null })).toBe("");
    expect(await readdir(elsewhere)).toEqual(["one", "two"]);
  });

  test("the link resolves to a project that has both names", async () => {
    await using made = await ConfinedProject.make({ "project/x": "", "project/.env": "SECRET" });
    await mkdir(join(made.home, "spä ce"));
    const link = join(made.home, "spä ce/ü'\"x");
    await symlink(made.project, link);
    const line = `cd "$0"; echo 1 > y; cat .env`;
    expect(
      await made.run(line.replace("$0", link.replaceAll('"', '\\"')), { write: [link] }),
    ).toMatch(/^cat: .env: Permission denied\n$/);
    expect(await readFile(made.at("y"), "utf8")).toBe("1\n");
  });
});

describe.skipIf(isSkipped)("folders on the PATH in a project", () => {
  test("cannot be changed, because people run the programs in them", async () => {
    await using made = await ConfinedProject.make({ "project/tools/bin/x": "#!/bin/sh" });
    withOnPath(made.at("tools/bin"));
    const said = await made.run("echo x > tools/bin/git; echo x > tools/other && echo other");
    expect(said).toMatch(/^.*git: Read-only file system\nother\n$/);
  });
});

describe.skipIf(isSkipped)("a project that Landline itself is installed in", () => {
  test("cannot change the Node that runs it, nor the packages beside it", async () => {
    await using made = await ConfinedProject.make({
      "project/node_modules/node/bin/node": "NODE",
      "project/node_modules/other/index.js": "OTHER",
      "project/index.js": "",
    });
    const node = made.at("node_modules/node/bin/node");
    const { execPath } = process;
    process.execPath = node;
    const line = `echo x > ${node}; echo x > node_modules/other/index.js; mv node_modules old; echo x > index.js`;
    const said = await made.run(line).finally(() => (process.execPath = execPath));
    expect(said).toMatch(/node: Read-only.*\n.*index.js: Read-only.*\n.*busy\n$/);
  });
});

describe.skipIf(isSkipped)("what a person opened", () => {
  const hooks = {
    "project/.git/hooks/pre-commit": "#!/bin/sh\n",
    "project/.git/hooks/pre-push": "#!/bin/sh\n",
    "project/.vscode/tasks.json": "{}",
    "project/.vscode/launch/launch.json": "{}",
    "project/.ssh/id_rsa": "KEY",
    "project/.ssh/other/id_rsa": "OTHER",
    "project/.ssh/config": "CONFIG",
    "project/.env": "SECRET",
  };

  test("is one file of a protected folder, without its siblings", async () => {
    await using made = await ConfinedProject.make(hooks);
    const opened = [made.at(".git/hooks/pre-commit"), made.at(".vscode/launch/launch.json")];
    const line = `for f in .git/hooks/pre-commit .git/hooks/pre-push .git/hooks/new .vscode/launch/launch.json .vscode/tasks.json
      do echo x > $f && echo $f; done 2> /dev/null`;
    const changed = [".git/hooks/pre-commit", ".vscode/launch/launch.json"];
    expect(await made.run(line, { opened })).toBe(`${changed.join("\n")}\n`);
  });

  test("is a new file: its folder, but not the one above", async () => {
    await using made = await ConfinedProject.make(hooks);
    const opened = [made.at(".vscode/launch/new.json")];
    const line = "echo x > .vscode/launch/new.json && echo x > .vscode/new.json";
    expect(await made.run(line, { opened })).toMatch(
      /^.*.vscode\/new.json: Read-only file system\n$/,
    );
  });

  test("is one file of a folder of credentials, without its siblings", async () => {
    await using made = await ConfinedProject.make(hooks);
    const opened = [made.at(".ssh/id_rsa")];
    const said = await made.run(
      "cat .ssh/id_rsa .ssh/other/id_rsa .ssh/config; echo NEW > .ssh/id_rsa; echo x > .ssh/new",
      { opened },
    );
    expect(said).toMatch(
      /^KEY.*other\/id_rsa: Permission denied\n.*config: Permission denied\n.*new: Read-only file system\n$/s,
    );
    expect(await readFile(made.at(".ssh/id_rsa"), "utf8")).toBe("NEW\n");
  });

  test("for reading cannot be changed", async () => {
    await using made = await ConfinedProject.make(hooks);
    const openedToRead = [made.at(".env"), made.at(".ssh/id_rsa")];
    const said = await made.run(
      "cat .env .ssh/id_rsa .ssh/config; echo x > .env; echo x > .ssh/id_rsa",
      { openedToRead },
    );
    expect(said).toMatch(
      /^SECRETKEY.*config: Permission denied\n.*env: Read-only file system\n.*id_rsa: Read-only file system\n$/s,
    );
  });

  test("is ignored once a link points elsewhere", async () => {
    await using made = await ConfinedProject.make({ ...hooks, "private/notes": "mine" });
    await rename(made.at(".vscode/launch"), made.at("old"));
    await symlink(join(made.home, "private"), made.at(".vscode/launch"));
    const opened = [made.at(".vscode/launch/launch.json")];
    const said = await made.run("cat .vscode/launch/notes; echo x > .vscode/new", { opened });
    expect(said).toMatch(/notes: No such file or directory\n.*new: Read-only file system/);
  });
});

describe.skipIf(isSkipped)("a credential", () => {
  test.each([
    ["to a name that is not UTF-8", `mv sub "$(printf 'x\\377')"; cat x*/.env`],
    [
      "to a folder that is not searched",
      "mkdir node_modules; mv sub node_modules; cat node_modules/sub/deep/.env",
    ],
    ["with a folder further above", "mv sub other; cat other/deep/.env"],
  ])("cannot be moved out of sight: %s", async (_, line) => {
    await using made = await ConfinedProject.make({
      "project/sub/deep/.env": "SECRET",
      "project/src/a/b": "",
    });
    const said = await made.run(`${line}; mv src/a src/c && ls src`);
    expect(said).toContain("Device or resource busy");
    expect(said).toMatch(/^c$/m);
    expect(await made.run("cat */.env */*/.env */*/*/.env")).not.toContain("SECRET");
  });

  test("is covered with its parent folder if its folder's name is not UTF-8", async () => {
    await using made = await ConfinedProject.make({ "project/src/x": "x", "project/sub/y": "y" });
    for (const folder of ["src", "sub"])
      await mkdir(Buffer.concat([Buffer.from(`${made.at(folder)}/x`), Buffer.from([255])]));
    const folder = Buffer.concat([Buffer.from(`${made.at("sub")}/x`), Buffer.from([255])]);
    await writeFile(Buffer.concat([folder, Buffer.from("/.env")]), "SECRET");
    expect(await made.run("cat src/x; cat sub/x*/.env")).toMatch(/^xcat: .*Permission denied\n$/);
  });

  test("is covered although its path is longer than the kernel allows", async () => {
    await using made = await ConfinedProject.make({ "project/x": "" });
    const deep = `n=$(printf 'd%.0s' {1..250}); for i in {1..17}; do mkdir -p $n; cd $n || exit; done`;
    await made.run(`${deep}; echo SECRET > .env`);
    const said = await made.run(`echo started; ${deep} 2> /dev/null; cat .env`);
    expect(said).toMatch(/^started\n/);
    expect(said).not.toContain("SECRET");
  });

  test("is covered with others, if there are too many to cover each", async () => {
    await using made = await ConfinedProject.make({
      "project/a/.env": "SECRET",
      "project/README.md": "readme",
    });
    const names = Array.from({ length: 3_100 }, (_, index) => made.at(`certificates/${index}.pem`));
    await mkdir(made.at("certificates"));
    await Promise.all(names.map((name) => writeFile(name, "KEY")));
    const said = await made.run(
      "cat README.md certificates/7.pem a/.env; echo x > a/new && echo made",
    );
    expect(said).toMatch(
      /^readmecat: .*7.pem: Permission denied\ncat: a\/.env: Permission denied\nmade\n$/s,
    );
    await Promise.all(names.map((name, index) => rename(name, made.at(`${index}.pem`))));
    await expect(made.run("echo started")).rejects.toThrow("too many credentials");
  });

  test.each(["/dev/null", "/usr/bin/bash", "/proc/self/environ"])(
    "is not the target of a system link with its name: %s",
    async (target) => {
      await using made = await ConfinedProject.make({ "project/x": "" });
      await symlink(target, made.at(".env"));
      expect(await made.run("echo x > /dev/null && echo started")).toBe("started\n");
    },
  );
});

describe.skipIf(isSkipped)("a hidden folder in a project", () => {
  test("cannot be moved", async () => {
    await using made = await ConfinedProject.make({ "project/var/lib/data/x": "DATA" });
    const hide = [made.at("var/lib/data")];
    expect(await made.run("mv var v2; mv var/lib var/l2", { hide })).toMatch(/busy\n.*busy\n$/);
    expect(await made.run("cat var/lib/data/x", { hide })).toContain("Permission denied");
  });
});

describe.skipIf(isSkipped)("the home folder", () => {
  test("shows the programs of a tool on the PATH, but not its other files", async () => {
    await using made = await ConfinedProject.make({
      ".tool/bin/tool": "PROGRAM\n",
      ".tool/lib/library": "LIBRARY\n",
      ".tool/config.yml": "TOKEN",
      "other/bin/x": "",
      "other/.env": "TOKEN",
      "other/notes": "TOKEN",
      ".local/bin/x": "",
      ".local/share/notes": "TOKEN",
      "bin/x": "",
      "lib/notes": "TOKEN",
    });
    for (const name of [".tool/bin", "other/bin", ".local/bin", "bin"])
      withOnPath(join(made.home, name));
    const line = `cat ~/.tool/bin/tool ~/.tool/lib/library ~/.tool/config.yml ~/other/.env
      ls ~/* ~/.local/*`;
    const said = await made.run(line);
    expect(said).toMatch(/^PROGRAM\nLIBRARY\n/);
    expect(said).not.toMatch(/TOKEN|notes/);
  });

  test("shows caches of tools, but not those of other programs", async () => {
    await using made = await ConfinedProject.make({
      ".cache/browser/page": "PRIVATE",
      ".cache/ms-playwright/chrome": "PROGRAM\n",
      ".cache/pypoetry/virtualenvs/other/bin/python": "",
    });
    const line = `cat ~/.cache/ms-playwright/chrome ~/.cache/browser/page; ls ~/.cache
      echo x > ~/.cache/pypoetry/virtualenvs/other/bin/python`;
    const said = await made.run(line, { caches: null });
    expect(said).toMatch(
      /^PROGRAM\n.*No such file or directory\nms-playwright\npypoetry\n.*Read-only file system\n$/s,
    );
  });
});

describe.skipIf(isSkipped)("a session in the home folder", () => {
  test("cannot change the compiled code of Landline", async () => {
    await using made = await ConfinedProject.make({ ".cache/landline/compiled/x": "OURS" });
    const said = await made.run("echo x > ~/.cache/landline/compiled/x; rm -r ~/.cache/landline", {
      write: [made.home],
    });
    expect(said).toMatch(/Read-only file system/);
    expect(await readFile(join(made.home, ".cache/landline/compiled/x"), "utf8")).toBe("OURS");
  });
});
