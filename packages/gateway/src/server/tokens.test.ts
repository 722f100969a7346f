import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf, personName } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileLock } from "@landline/system/file-lock";
import { openTokens, type Tokens } from "./tokens.ts";

let folder: string;
let path: string;
const opened: Tokens[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-tokens-"));
  path = join(folder, "tokens.json");
});
afterEach(async () => {
  for (const tokens of opened.splice(0)) tokens[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

const limits = limitsOf("default", {
  tokensCheckMs: 20,
  tokensKept: 3,
  tokensLockMs: 100,
  startLinksKept: 2,
});

async function open(options: Parameters<typeof openTokens>[1] = {}): Promise<Tokens> {
  const tokens = await openTokens(path, { limits, showsLink: true, ...options });
  opened.push(tokens);
  return tokens;
}

describe("the first start", () => {
  it("creates an admin token, in a private file", async () => {
    const tokens = await open();
    expect(tokens.shown).toMatch(/^ll_[\w-]{43}$/);
    expect(tokens.find(tokens.shown!)).toMatchObject({
      name: "the gateway’s computer",
      role: "admin",
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("stores no token text: each start makes another for the same device, and earlier ones stay valid", async () => {
    const { shown } = await open();
    const next = await open();
    expect(next.shown).not.toBe(shown);
    expect(next.list()).toHaveLength(1);
    expect(next.find(shown!)).toEqual(next.find(next.shown!));
    expect(await readFile(path, "utf8")).not.toMatch(/ll_/);
  });

  it("drops the oldest links if there are too many", async () => {
    const { shown: first } = await open();
    const { shown: second } = await open();
    for (let count = 0; count < limits.startLinksKept; count++) await open();
    const last = await open();
    // The token itself stays; of its links, the latest do.
    expect(last.find(first!)).not.toBeNull();
    expect(last.find(second!)).toBeNull();
  });

  it("shows nothing to a command that only reads", async () => {
    const tokens = await open({ showsLink: false });
    expect([tokens.shown, tokens.list()]).toEqual([null, []]);
  });

  it("removes the text from a file of an earlier version, and the token stays valid", async () => {
    const hash = createHash("sha256").update("ll_old").digest("hex");
    const token = { id: "own", name: "own", role: "control", madeAt: 1, hash };
    for (const fixed of [{}, { fixed: "open-sesame" }]) {
      await writeFile(path, JSON.stringify({ version: 1, shown: "ll_old", tokens: [token] }));
      const tokens = await open(fixed);
      expect(tokens.find("ll_old")).toMatchObject({ id: "own", role: "admin" });
      expect(await readFile(path, "utf8")).not.toContain("ll_old");
      expect(tokens.list().filter(({ id }) => id !== "environment")).toHaveLength(1);
    }
  });
});

describe("tokens", () => {
  it("are returned once and stored as hashes", async () => {
    const tokens = await open();
    const { token, summary } = await tokens.create({ name: "My Phone!", role: "watch" });
    expect(summary).toMatchObject({ name: "My Phone!", role: "watch" });
    expect(summary.id).toMatch(/^my-phone-[0-9a-f]{8}$/);
    expect(await readFile(path, "utf8")).not.toContain(token);
    expect((await open()).find(token)).toEqual(summary);
  });

  it("are not found by an invalid text", async () => {
    const tokens = await open();
    for (const wrong of [
      "",
      "x",
      `${tokens.shown} `,
      tokens.shown!.slice(1),
      "ll_",
      "\0".repeat(99),
    ]) {
      expect(tokens.find(wrong)).toBeNull();
    }
  });

  it("become invalid when revoked, and watchers are notified", async () => {
    const tokens = await open();
    const { token, summary } = await tokens.create({ name: "phone", role: "control" });
    const told: string[] = [];
    using _watching = tokens.watch((id) => {
      expect(tokens.find(token)).toBeNull();
      told.push(id);
    });
    await tokens.revoke(summary.id);
    expect(told).toEqual([summary.id]);
    await expect(tokens.revoke(summary.id)).rejects.toMatchObject({ code: "invalid-params" });
  });

  it("that another process revokes become invalid here too", async () => {
    const [here, there] = [await open(), await open()];
    const { token, summary } = await here.create({ name: "phone", role: "control" });
    const revoked = Promise.withResolvers<string>();
    using _watching = here.watch(revoked.resolve);
    await there.revoke(summary.id);
    expect(await revoked.promise).toBe(summary.id);
    expect(here.find(token)).toBeNull();
  });

  it("concurrent changes are all applied", async () => {
    const wide = limitsOf("default");
    const all = await Promise.all(Array.from({ length: 8 }, () => open({ limits: wide })));
    await Promise.all(
      all.map((tokens, each) => tokens.create({ name: `t${each}`, role: "watch" })),
    );
    expect((await open()).list()).toHaveLength(9);
  });

  it("are limited in number", async () => {
    const tokens = await open();
    await tokens.create({ name: "a", role: "watch" });
    await tokens.create({ name: "b", role: "watch" });
    await expect(tokens.create({ name: "c", role: "watch" })).rejects.toMatchObject({
      code: "invalid-params",
    });
  });

  it("have printable names", async () => {
    const { summary } = await (await open()).create({ name: "\u001b[31m\n", role: "watch" });
    expect(summary.name).toBe("[31m");
  });
});

describe("the displayed token", () => {
  it("is removed when it is revoked, and the next start makes another", async () => {
    const tokens = await open();
    const { shown } = tokens;
    await tokens.revoke(tokens.list()[0]!.id);
    expect(tokens.shown).toBeNull();
    expect(await readFile(path, "utf8")).not.toContain(shown!);
    const again = await open();
    expect(again.shown).not.toBe(shown);
    expect(again.find(again.shown!)).not.toBeNull();
  });
});

describe("names", () => {
  const commands = { "command-line": "the command line" };

  it("are reported when another command changes them, and only then", async () => {
    const tokens = await open();
    const [first] = tokens.list();
    const told: object[] = [];
    const isTold = Promise.withResolvers<void>();
    tokens.watchNames((names) => {
      told.push(names);
      if (told.length === 2) isTold.resolve();
    });
    const { summary } = await tokens.create({ name: "Anna’s phone", role: "watch" });
    expect(told).toEqual([
      { [first!.id]: "the gateway’s computer", [summary.id]: "Anna’s phone", ...commands },
    ]);
    expect(tokens.names).toEqual(told[0]);
    // The same name again, and then another one.
    const text = await readFile(path, "utf8");
    await writeFile(path, `${text}\n`);
    await (await open({ showsLink: false })).revoke(first!.id);
    await isTold.promise;
    expect(told[1]).toEqual({ [summary.id]: "Anna’s phone", ...commands });
  });

  it("are kept for ids of removed devices", async () => {
    const tokens = await open();
    const { summary } = await tokens.create({ name: "Anna’s old phone", role: "watch" });
    const { summary: nameless } = await tokens.create({ name: "電話", role: "watch" });
    expect(personName(summary.id, tokens.names)).toBe("Anna’s old phone");
    expect(personName(nameless.id, tokens.names)).toBe("電話");
    expect(personName(summary.id, {})).toBe("annas old phone");
    expect(personName(nameless.id, {})).toBeNull();
  });
});

describe("LANDLINE_TOKEN", () => {
  it("is valid, displayed and never stored", async () => {
    const tokens = await open({ fixed: "open-sesame" });
    expect(tokens.shown).toBe("open-sesame");
    expect(tokens.find("open-sesame")).toMatchObject({ id: "environment", role: "admin" });
    await tokens.create({ name: "phone", role: "watch" });
    expect(await readFile(path, "utf8")).not.toContain("open-sesame");
    await expect(tokens.revoke("environment")).rejects.toThrow("LANDLINE_TOKEN");
  });

  it.each(["", "with space", "lüge", "x".repeat(1_025), "line\nbreak"])(
    "is refused as %j",
    async (fixed) => {
      await expect(open({ fixed })).rejects.toMatchObject({ code: "invalid-params" });
    },
  );
});

describe("an unusable file", () => {
  it.each(["", "{", "[]", '{"version":3,"tokens":[]}', '{"version":1,"shown":null,"tokens":[{}]}'])(
    "is named and left unchanged: %j",
    async (text) => {
      await writeFile(path, text);
      await expect(open()).rejects.toMatchObject({ code: "folder-unusable" });
      expect(await readFile(path, "utf8")).toBe(text);
    },
  );

  it("during operation is reported, and valid tokens stay valid", async () => {
    const reported = Promise.withResolvers<unknown>();
    const tokens = await open({ onProblem: reported.resolve });
    await writeFile(path, "garbage");
    expect(await reported.promise).toMatchObject({ code: "folder-unusable" });
    expect(tokens.find(tokens.shown!)).not.toBeNull();
  });

  it("because another command holds its lock names the file", async () => {
    const tokens = await open();
    using _held = await FileLock.take(`${path}.lock`);
    await expect(tokens.create({ name: "a", role: "watch" })).rejects.toMatchObject({
      code: "folder-locked",
      message: expect.stringContaining("tokens.json.lock") as string,
    });
  });

  it("is not locked by a killed command, and its temporary files are removed", async () => {
    await writeFile(`${path}.lock`, "");
    await writeFile(`${path}.1234567890`, "half of");
    await writeFile(`${path}.old`, "a copy of mine");
    const tokens = await open();
    await tokens.create({ name: "a", role: "watch" });
    expect((await readdir(folder)).sort()).toEqual([
      "tokens-log.ndjson",
      "tokens.json",
      "tokens.json.lock",
      "tokens.json.old",
    ]);
  });
});
