import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Opening, openingFor, type StoppedProgram, withOpening } from "./openings.ts";

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
    await body(top, { policy, cwd: project, home, closed: [data] });
  } finally {
    await rm(top, { recursive: true });
  }
}

const summary = (opening: Opening | null) =>
  opening && { what: opening.what, adds: opening.adds, isProtected: opening.protection !== null };

test("a path is opened as little as possible, and checked against the disk", () =>
  inFolders(async (top, stopped) => {
    const found = async (kind: "read" | "write" | "missing", what: string) =>
      summary(await openingFor([{ kind, what }], stopped));
    const at = (name: string) => join(top, name);
    expect(await found("missing", "../notes")).toEqual({
      what: `reading ${at("home/notes")}`,
      adds: { read: [at("home/notes")] },
      isProtected: false,
    });
    expect(await found("write", at("srv/file"))).toEqual({
      what: `changing ${at("srv/file")}`,
      adds: { write: [at("srv")] },
      isProtected: false,
    });
    // One file, and not the home folder that it is in.
    expect(await found("write", at("home/notes"))).toMatchObject({
      adds: { write: [at("home/notes")] },
    });
    expect(await found("write", at("home/new"))).toMatchObject({ adds: null });
    expect(await found("write", "/proc/sys/kernel/core_pattern")).toMatchObject({ adds: null });
    expect(await found("missing", at("home/.ssh/id_rsa"))).toMatchObject({ isProtected: true });
    await symlink(at("home/.ssh/id_rsa"), at("srv/link"));
    expect(await found("missing", at("srv/link"))).toMatchObject({
      what: `reading ${at("home/.ssh/id_rsa")}`,
      isProtected: true,
    });
    expect(await found("read", "../project/.env")).toEqual({
      what: `reading ${at("home/project/.env")}`,
      adds: { opened: [at("home/project/.env")] },
      isProtected: true,
    });
    for (const [kind, what] of [
      ["missing", "/no/such/folder/file"],
      ["missing", "not-there"],
      // Outside of what is hidden, a program sees for itself that there is no such file.
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

test("a host is opened unless it is open already, and the first denial counts", () =>
  inFolders(async (_top, stopped) => {
    const denials = [
      { kind: "missing", what: "not-there" },
      { kind: "network", what: "example.com" },
      { kind: "network", what: null },
    ] as const;
    const under = async (network: "on" | "off" | readonly string[]) =>
      summary(await openingFor(denials, { ...stopped, policy: { ...stopped.policy, network } }));
    expect(await under("off")).toEqual({
      what: "connecting to example.com",
      adds: { network: ["example.com"] },
      isProtected: false,
    });
    expect(await under(["example.com"])).toMatchObject({ adds: { network: "on" } });
    expect(await under("on")).toBeNull();
  }));

test("a policy gets what was opened, and loses nothing", () => {
  const policy = { write: ["/p"], caches: null, read: ["/r"], network: ["a"] } as const;
  expect(withOpening(policy, { write: ["/w"] })).toEqual({
    ...policy,
    write: ["/p", "/w"],
    opened: [],
  });
  expect(withOpening(policy, { network: ["b"] }).network).toEqual(["a", "b"]);
  expect(withOpening({ ...policy, network: "off" }, { network: ["b"] }).network).toEqual(["b"]);
  expect(withOpening({ ...policy, network: "on" }, { network: ["b"] }).network).toBe("on");
  expect(withOpening(policy, { network: "on" }).network).toBe("on");
});
