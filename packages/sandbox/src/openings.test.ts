import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Opening } from "./opening.ts";
import { leavingText } from "./opening-text.ts";
import { openingsFor, type StoppedProgram, withOpening } from "./openings.ts";

async function inFolders(
  body: (top: string, stopped: StoppedProgram) => Promise<void>,
): Promise<void> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "landline-openings-")));
  const [home, project, data] = ["home", "home/project", "home/data"].map((name) =>
    join(top, name),
  ) as [string, string, string];
  await Promise.all(
    [project, data, join(home, ".ssh"), join(top, "srv")].map((folder) =>
      mkdir(folder, { recursive: true }),
    ),
  );
  for (const file of ["home/notes", "home/.ssh/id_rsa", "home/data/tokens.json", "srv/file"])
    await writeFile(join(top, file), "");
  const policy = { network: "off", write: [project], read: [], caches: null } as const;
  try {
    await body(top, {
      output: "",
      deniedHosts: [],
      policy,
      permits: () => true,
      cwd: project,
      home,
      closed: [data],
    });
  } finally {
    await rm(top, { recursive: true });
  }
}

const summary = ({ what, adds, protection }: Opening) => ({
  what,
  adds,
  isProtected: protection !== null,
});

const failures = {
  read: "Permission denied",
  write: "Read-only file system",
  missing: "No such file or directory",
} as const;
const failure = (kind: keyof typeof failures, what: string) => `x: ${what}: ${failures[kind]}\n`;

/** The only result, or null. */
async function openingFor(stopped: StoppedProgram) {
  const [opening, ...more] = await openingsFor(stopped);
  expect(more).toEqual([]);
  return opening ? summary(opening) : null;
}

test("opens as little as possible, checked against the disk", () =>
  inFolders(async (top, stopped) => {
    const found = (kind: keyof typeof failures, what: string) =>
      openingFor({ ...stopped, output: failure(kind, what) });
    const at = (name: string) => join(top, name);
    expect(await found("missing", "../notes")).toEqual({
      what: `reading "${at("home/notes")}"`,
      adds: { read: [at("home/notes")] },
      isProtected: false,
    });
    expect(await found("write", at("srv/file"))).toEqual({
      what: `changing "${at("srv/file")}"`,
      adds: { write: [at("srv/file")] },
      isProtected: false,
    });
    expect(await found("write", at("srv/new"))).toMatchObject({ adds: { write: [at("srv")] } });
    // One file, and not its home folder.
    expect(await found("write", at("home/notes"))).toMatchObject({
      adds: { write: [at("home/notes")] },
    });
    expect(await found("write", at("home/new"))).toMatchObject({ adds: null });
    await using server = createServer();
    await new Promise<void>((resolve) => server.listen(at("home/agent.sock"), resolve));
    for (const socket of [at("home/agent.sock"), "/run/docker.sock"])
      expect((await found("missing", socket))?.adds ?? null).toBeNull();
    expect(await found("write", "/proc/sys/kernel/core_pattern")).toMatchObject({ adds: null });
    // The file is shown, and its credential is no longer hidden.
    expect(await found("missing", at("home/.ssh/id_rsa"))).toEqual({
      what: `reading "${at("home/.ssh/id_rsa")}"`,
      adds: { read: [at("home/.ssh/id_rsa")], opened: [at("home/.ssh/id_rsa")] },
      isProtected: true,
    });
    expect(await found("read", at("home/.ssh/id_rsa"))).toMatchObject({ isProtected: true });
    await symlink(at("home/.ssh/id_rsa"), at("srv/link"));
    expect(await found("missing", at("srv/link"))).toMatchObject({
      what: `reading "${at("home/.ssh/id_rsa")}"`,
      isProtected: true,
    });
    // The target of a link of the project is outside it.
    await symlink(at("home/notes"), at("home/project/link"));
    expect(await found("missing", "link")).toMatchObject({
      what: `reading "${at("home/notes")}"`,
      adds: { read: [at("home/notes")] },
    });
    expect(await found("read", "../project/.env")).toEqual({
      what: `reading "${at("home/project/.env")}"`,
      adds: { openedToRead: [at("home/project/.env")] },
      isProtected: true,
    });
    for (const [kind, what] of [
      ["missing", "/no/such/folder/file"],
      ["write", "/no/such/folder/file"],
      ["read", at("srv/file")],
      ["missing", "not-there"],
      // Outside hidden folders, a program sees itself that a file does not exist.
      ["missing", "/etc/no-such-file"],
      ["missing", "/usr/include/no-such-file"],
      ["missing", "/tmp/no-such-file"],
      ["missing", at("home/.cache/no-such-file")],
      ["read", "/etc/shadow"],
      ["read", "src/main.ts"],
      ["missing", at("home/data/tokens.json")],
      ["write", at("home/data/rules.json")],
    ] as const)
      expect(await found(kind, what)).toBeNull();
  }));

test("opens a host unless it is already open, and then the whole network, once", () =>
  inFolders(async (_top, stopped) => {
    const output = [
      failure("missing", "not-there"),
      "Could not resolve host: example.com\n",
      "Network is unreachable\n",
    ].join("");
    const under = (network: "on" | "off" | readonly string[], deniedHosts: string[] = []) =>
      openingsFor({ ...stopped, output, deniedHosts, policy: { ...stopped.policy, network } });
    expect((await under("off")).map(summary)).toEqual([
      { what: "connecting to example.com", adds: { network: ["example.com"] }, isProtected: false },
    ]);
    for (const pattern of ["example.com", "EXAMPLE.com."])
      expect(await under([pattern])).toMatchObject([
        { adds: { network: "on" }, isOnce: true, wasOpen: true },
      ]);
    expect(await under(["*.example.com", "example.com:80"])).toMatchObject([
      { adds: { network: ["example.com"] }, isOnce: false, wasOpen: false },
    ]);
    expect(await under("on")).toEqual([]);
    // The sandbox's report overrides the output. A listed host that it denied has a private address.
    expect(await under(["known.example"], ["other.example:443", "known.example:80"])).toMatchObject(
      [
        { target: "other.example:443", adds: { network: ["other.example"] }, wasOpen: false },
        { target: "known.example:80", adds: { network: "on" }, isOnce: true, wasOpen: false },
      ],
    );
    const asked = async (host: string) =>
      (await under("off", [host])).map(({ adds }) => adds?.network);
    // With its port, a name would be allowed for addresses of this machine.
    expect(await asked("example.com:443")).toEqual([["example.com"]]);
    expect(await asked("127.0.0.1:3000")).toEqual([["127.0.0.1:3000"]]);
    // Without a port, these would open every service of this machine for the session.
    expect(await asked("localhost")).toEqual(["on"]);
    expect(await asked("127.0.0.1")).toEqual(["on"]);
    expect(await asked("*.com")).toEqual(["on"]);
    expect(await asked("no host!")).toEqual(["on"]);
  }));

test("finds all denials, each once and at most twenty", () =>
  inFolders(async (top, stopped) => {
    const at = (name: string) => join(top, name);
    const all = (output: string, more: Partial<StoppedProgram> = {}) =>
      openingsFor({ ...stopped, ...more, output });
    const unnamed = "Read-only file system\n";
    const changed = failure("write", at("srv/file"));
    const output = [
      unnamed,
      changed,
      failure("write", at("home/../srv/file")),
      failure("missing", at("home/notes")),
      failure("missing", at("home/data/tokens.json")),
    ].join("");
    const found = await all(output, { deniedHosts: ["example.com:443"] });
    expect(found.map(({ what }) => what)).toEqual([
      `changing "${at("srv/file")}"`,
      `reading "${at("home/notes")}"`,
      "connecting to example.com",
    ]);
    const option = (openings: readonly Opening[]) =>
      leavingText(openings).options.find(({ id }) => id.startsWith("open"));
    expect(option(found)).toMatchObject({ id: "open" });
    expect(option(found.slice(1))?.name).toBe(
      `Allow reading "${at("home/notes")}" and connecting to example.com in this session`,
    );
    const withKey = await all(output + failure("missing", at("home/.ssh/id_rsa")));
    expect(option(withKey)).toMatchObject({ name: "Allow these 3 once", id: "open-once" });
    // If one of them cannot be opened, only running outside can be allowed.
    expect(option(await all(output + failure("write", at("home/new"))))).toBeUndefined();
    expect(option([])).toBeUndefined();
    expect((await all(unnamed)).map(summary)).toEqual([
      { what: "changing a file that its output does not name", adds: null, isProtected: false },
    ]);
    const names = Array.from({ length: 100 }, (_, number) => at(`srv/new-${number}`));
    expect(await all(names.map((name) => failure("write", name)).join(""))).toHaveLength(20);
    // What was opened without success is reported, and not opened again.
    const policy = { ...stopped.policy, write: [...stopped.policy.write, at("srv/file")] };
    expect(await all(changed, { policy })).toEqual([]);
    const opened = new Set([`changing "${at("srv/file")}"`]);
    const moved = `[Errno 18] Invalid cross-device link: 'x' -> '${at("srv/file")}'\n`;
    for (const failed of [changed, moved])
      expect(await all(failed, { policy, opened })).toMatchObject([{ adds: null, wasOpen: true }]);
  }));

test("a folder with more than the program named is not opened for a session", () =>
  inFolders(async (top, stopped) => {
    const at = (name: string) => join(top, name);
    await mkdir(at("home/.config/tool"), { recursive: true });
    const made = (path: string) => `ENOENT: no such file or directory, mkdir '${path}'\n`;
    const isOnce = async (path: string) => {
      const [opening] = await openingsFor({ ...stopped, output: made(path) });
      return { opens: opening?.addsWhat, isOnce: opening?.isOnce };
    };
    const folder = (name: string) => `changing any file in "${name}"`;
    expect(await isOnce(at("srv/new"))).toEqual({ opens: folder(at("srv")), isOnce: false });
    expect(await isOnce(at("srv/new/deep"))).toEqual({ opens: folder(at("srv")), isOnce: true });
    expect(await isOnce(at("home/.config/tool/new"))).toMatchObject({ isOnce: false });
    for (const [path, opened] of [
      [at("home/.config/new"), at("home/.config")],
      ["/etc/new", "/etc"],
      ["/opt/new", "/opt"],
      ["/var/lib/new", "/var/lib"],
      ["/usr/bin/new", "/usr/bin"],
    ] as const)
      expect(await isOnce(path)).toEqual({ opens: folder(opened), isOnce: true });
  }));

test("a folder that contains a socket is not opened", () =>
  inFolders(async (top, stopped) => {
    const folder = join(top, "home/tmux");
    await mkdir(join(folder, "deep/er"), { recursive: true });
    await writeFile(join(folder, "file"), "");
    const opened = async (name: string, kind: "write" | "missing") =>
      (await openingFor({ ...stopped, output: failure(kind, name) }))?.adds ?? null;
    expect(await opened(folder, "missing")).toEqual({ read: [folder] });
    await using server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "deep/er/socket"), resolve));
    expect(await opened(folder, "missing")).toBeNull();
    expect(await opened(join(folder, "new"), "write")).toBeNull();
    expect(await opened(join(folder, "file"), "missing")).toEqual({ read: [join(folder, "file")] });
  }));

test("a path that cannot be parsed completely is not opened, and no path reads as other words", () =>
  inFolders(async (top, stopped) => {
    const folder = join(top, 'srv/\u202e\u001b[2K x" in this session');
    await mkdir(folder);
    const output = `touch: cannot touch '${folder}/new': Read-only file system\n`;
    const shown = `${join(top, "srv")}/\\u{202e}\\u{1b}[2K x\\" in this session`;
    expect(await openingsFor({ ...stopped, output })).toMatchObject([
      { what: `changing "${shown}/new"`, addsWhat: `changing any file in "${shown}"` },
    ]);
    const key = `cat: '${folder}/.env': Permission denied\n`;
    await writeFile(`${folder}/.env`, "");
    expect(await openingsFor({ ...stopped, output: key })).toMatchObject([
      { protection: `"${shown}/.env" may hold passwords or keys` },
    ]);
    const long = join(top, "srv", "\u202e".repeat(70));
    expect(await openingFor({ ...stopped, output: failure("write", long) })).toMatchObject({
      adds: null,
    });
  }));

test("the policy receives the openings, and loses nothing", () => {
  const policy = { write: ["/p"], caches: null, read: ["/r"], network: ["a"] } as const;
  expect(withOpening(policy, { write: ["/w"] })).toEqual({
    ...policy,
    write: ["/p", "/w"],
    opened: [],
    openedToRead: [],
  });
  expect(withOpening(policy, { network: ["b"] }).network).toEqual(["a", "b"]);
  expect(withOpening({ ...policy, network: "off" }, { network: ["b"] }).network).toEqual(["b"]);
  expect(withOpening({ ...policy, network: "on" }, { network: ["b"] }).network).toBe("on");
  expect(withOpening(policy, { network: "on" }).network).toBe("on");
});

test("a failure caused by the mounts of the sandbox is offered", () =>
  inFolders(async (top, stopped) => {
    const project = join(top, "home/project");
    await Promise.all(
      ["app/secrets", "other", "bin", ".git/hooks"].map((name) =>
        mkdir(join(project, name), { recursive: true }),
      ),
    );
    const found = (output: string) => openingFor({ ...stopped, output });
    // A folder above a credential is a mount, which cannot be moved. Only running outside helps.
    for (const [output, ...paths] of [
      ["mv: cannot move 'app' to 'new': Device or resource busy\n", "app", "new"],
      ["Error: EBUSY: resource busy or locked, rename 'app' -> 'new'\n", "app", "new"],
      ["EXDEV: cross-device link not permitted, rename 'app/a' -> 'other/a'\n", "app/a", "other/a"],
    ] as const) {
      const openings = await openingsFor({ ...stopped, output });
      expect(openings.map(({ what, adds }) => ({ what, adds }))).toEqual(
        paths.map((path) => ({ what: `changing "${project}/${path}"`, adds: null })),
      );
    }
    vi.stubEnv("PATH", `${project}/bin:${process.env["PATH"]}`);
    expect(await found(failure("write", "bin/tool"))).toEqual({
      what: `changing "${project}/bin/tool"`,
      adds: { opened: [`${project}/bin/tool`] },
      isProtected: false,
    });
    vi.unstubAllEnvs();
    expect(await found(failure("write", "other/file"))).toBeNull();
    const [hook] = await openingsFor({ ...stopped, output: failure("write", ".git/hooks/new") });
    expect(hook?.addsWhat).toBe(`reading and changing any file in "${project}/.git/hooks"`);
  }));
