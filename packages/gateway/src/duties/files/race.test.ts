import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, refusedWith, type Scratch } from "../../../test/duties/scratch.ts";
import { Files } from "../files.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});

afterEach(async () => {
  await scratch[Symbol.asyncDispose]();
});

const at = (name: string) => join(scratch.project, name);

/** Another process that swaps a folder or a file for a link and back, as fast as it can. */
async function swapping(program: string): Promise<AsyncDisposable> {
  const source = `
    const fs = require("node:fs");
    const attempt = (work) => { try { work(); } catch {} };
    process.stdout.write("swapping\\n");
    for (;;) { ${program} }`;
  const child = spawn(process.execPath, ["--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("a race against whoever swaps in links", () => {
  /** Until both sides of the swap were met, and a good many more. */
  const goesOn = (round: number, outcomes: ReadonlySet<string>) =>
    round < 300 || !outcomes.has("permission-denied") || !outcomes.has("mine");

  it("for the file: nothing from outside is ever read or written", async () => {
    await writeFile(join(scratch.outside, "secret.txt"), "secret");
    const [file, spare] = [at("a.txt"), at("spare")].map((path) => JSON.stringify(path));
    const secret = JSON.stringify(join(scratch.outside, "secret.txt"));
    const outcomes = new Set<string>();
    {
      await using _swapper = await swapping(`
        attempt(() => { fs.writeFileSync(${spare}, "mine"); fs.renameSync(${spare}, ${file}); });
        attempt(() => { fs.symlinkSync(${secret}, ${spare}); fs.renameSync(${spare}, ${file}); });`);
      const files = new Files(scratch.context(), { missingFileIsEmpty: false });
      for (let round = 0; goesOn(round, outcomes); round += 1) {
        const read = await files
          .read({ path: at("a.txt") })
          .catch((error: { code: string }) => error);
        outcomes.add("content" in read ? read.content : read.code);
        outcomes.add(await refusedWith(files.write({ path: at("a.txt"), content: "mine" })));
      }
    }
    expect(await readFile(join(scratch.outside, "secret.txt"), "utf8")).toBe("secret");
    expect(await readdir(scratch.outside)).toEqual(["secret.txt"]);
    for (const outcome of outcomes) {
      expect(["mine", "taken", "", "permission-denied", "file-not-found"]).toContain(outcome);
    }
  });

  it("for a folder above it: nothing from outside is ever read, written or made", async () => {
    await writeFile(join(scratch.outside, "a.txt"), "secret");
    await mkdir(at("folder"));
    await writeFile(at("folder/a.txt"), "mine");
    await symlink(scratch.outside, at("link"));
    const [folder, other, spare] = ["folder", "link", "spare"].map((name) =>
      JSON.stringify(at(name)),
    );
    const outcomes = new Set<string>();
    {
      await using _swapper = await swapping(`
        attempt(() => fs.renameSync(${folder}, ${spare}));
        attempt(() => fs.renameSync(${other}, ${folder}));
        attempt(() => fs.renameSync(${folder}, ${other}));
        attempt(() => fs.renameSync(${spare}, ${folder}));`);
      const files = new Files(scratch.context(), { missingFileIsEmpty: false });
      for (let round = 0; goesOn(round, outcomes); round += 1) {
        const read = await files
          .read({ path: at("folder/a.txt") })
          .catch((error: { code: string }) => error);
        outcomes.add("content" in read ? read.content : read.code);
        outcomes.add(await refusedWith(files.write({ path: at("folder/a.txt"), content: "mine" })));
        await refusedWith(files.write({ path: at(`folder/new-${round}/a.txt`), content: "mine" }));
      }
    }
    expect(await readdir(scratch.outside)).toEqual(["a.txt"]);
    expect(await readFile(join(scratch.outside, "a.txt"), "utf8")).toBe("secret");
    expect(outcomes).not.toContain("secret");
  });
});
