import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { credentialsPath, openCredentials } from "./credentials.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landline-credentials-"));
});
afterEach(() => rm(home, { recursive: true }));

const open = (environment = {}) => openCredentials({ environment, home });

async function put(text: string, mode = 0o600): Promise<string> {
  const path = credentialsPath({}, home);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
  return path;
}

describe("stored keys", () => {
  test("are stored in a file that only the user can read", async () => {
    const first = await open();
    expect(first.providers()).toEqual([]);
    await first.store("anthropic", "  sk-1 ");
    await first.store("openai", "sk-2");
    const second = await open();
    expect(second.key("anthropic")).toBe("sk-1");
    expect(second.providers()).toEqual(["anthropic", "openai"]);
    expect((await stat(second.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(second.path))).mode & 0o777).toBe(0o700);
    expect(await readdir(dirname(second.path))).toEqual(["agent-credentials.json"]);
    expect(await second.remove("anthropic")).toBe(true);
    expect(await second.remove("anthropic")).toBe(false);
    await first.reload();
    expect(first.key("anthropic")).toBeUndefined();
  });

  test("are in the folder that XDG_DATA_HOME names, if it is absolute", async () => {
    const credentials = await open({ XDG_CONFIG_HOME: join(home, "xdg") });
    expect(credentials.path).toBe(join(home, "xdg/landline/agent-credentials.json"));
    expect(credentialsPath({ XDG_CONFIG_HOME: "relative" }, home)).toContain(join(home, ".config"));
  });

  test("concurrent changes are all stored", async () => {
    const credentials = await open();
    await Promise.all(["a", "b", "c", "d"].map((id) => credentials.store(id, `key-${id}`)));
    expect((await open()).providers().sort()).toEqual(["a", "b", "c", "d"]);
  });

  test("keys that another process stored are not lost", async () => {
    const [one, other] = [await open(), await open()];
    await one.store("a", "1");
    await other.store("b", "2");
    expect((await open()).providers()).toEqual(["a", "b"]);
  });

  test("a file that others can read is made private", async () => {
    const path = await put('{"keys":{"openai":"sk"}}', 0o644);
    expect((await open()).key("openai")).toBe("sk");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.each(["{", "[]", '{"keys":3}', "null", '"sk-secret'])(
    "a damaged file is reported without its text, and left unchanged: %s",
    async (text) => {
      const path = await put(text);
      const credentials = await open();
      expect(credentials.providers()).toEqual([]);
      expect(credentials.problem).toContain(path);
      expect(credentials.problem).not.toContain("secret");
      await expect(credentials.store("openai", "sk")).rejects.toThrow(path);
      expect(await readFile(path, "utf8")).toBe(text);
    },
  );

  test("entries that are not keys are ignored", async () => {
    await put('{"keys":{"a":1,"b":"","c":null,"d":"key"}}');
    expect((await open()).providers()).toEqual(["d"]);
  });

  test("listeners are notified of changes only", async () => {
    const credentials = await open();
    let told = 0;
    const stop = credentials.onChange(() => (told += 1));
    await credentials.store("a", "1");
    await credentials.reload();
    expect(told).toBe(1);
    await (await open()).store("b", "2");
    await credentials.reload();
    expect(told).toBe(2);
    stop();
    await credentials.remove("a");
    expect(told).toBe(2);
  });

  test("a watcher notices keys that another process stores, including the first one, until it is stopped", async () => {
    const watched = await open();
    const other = await open();
    const changed = () => new Promise<void>((resolve) => void watched.onChange(resolve));
    const stop = watched.watch();
    try {
      const first = changed();
      await other.store("anthropic", "sk-1");
      await first;
      expect(watched.key("anthropic")).toBe("sk-1");
      const second = changed();
      await other.remove("anthropic");
      await second;
      expect(watched.providers()).toEqual([]);
    } finally {
      stop();
    }
    // Another watcher proves that there was time to notice.
    const witness = await open();
    const stopWitness = witness.watch();
    const heard = () => new Promise<void>((resolve) => void witness.onChange(resolve));
    try {
      for (const key of ["sk-2", "sk-3"]) {
        const noticed = heard();
        await other.store("anthropic", key);
        await noticed;
      }
      expect(watched.providers()).toEqual([]);
    } finally {
      stopWitness();
    }
  });

  test("listeners are notified that the file is unusable, even if it had no keys before", async () => {
    const credentials = await open();
    const problems: (string | undefined)[] = [];
    credentials.onChange(() => void problems.push(credentials.problem));
    await put("{");
    await credentials.reload();
    await credentials.reload();
    await rm(credentials.path);
    await credentials.reload();
    expect(problems).toEqual([expect.stringContaining("It is not JSON."), undefined]);
  });

  test("an empty key is refused", async () => {
    const credentials = await open();
    await expect(credentials.store("a", "  ")).rejects.toThrow("key");
  });
});
