import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, refusedWith, type Scratch } from "../../../test/acp-client/scratch.ts";
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
    const end = Date.now() + 60_000;
    process.stdout.write("swapping\\n");
    while (Date.now() < end) { ${program} }`;
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

describe("a race against a process that swaps in links", () => {
  const metBoth = (outcomes: ReadonlySet<string>) =>
    outcomes.has("permission-denied") && outcomes.has("mine");

  /** Many rounds, and more until both states of the swap were met. */
  const goesOn = (round: number, outcomes: ReadonlySet<string>) =>
    round < 300 || (round < 3_000 && !metBoth(outcomes));

  it("for the file: nothing outside is ever read or written", async () => {
    await writeFile(join(scratch.outside, "secret.txt"), "secret");
    const [file, spare] = [at("a.txt"), at("spare")].map((path) => JSON.stringify(path));
    const secret = JSON.stringify(join(scratch.outside, "secret.txt"));
    const outcomes = new Set<string>();
    {
      await using _swapper = await swapping(`
        attempt(() => { fs.writeFileSync(${spare}, "mine"); fs.renameSync(${spare}, ${file}); });
        attempt(() => { fs.symlinkSync(${secret}, ${spare}); fs.renameSync(${spare}, ${file}); });`);
      const { temporaries } = scratch;
      const files = new Files(scratch.context(), { missingFileIsEmpty: false, temporaries });
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
    expect(metBoth(outcomes)).toBe(true);
  });

  it("for a parent folder: nothing outside is ever read, written or created", async () => {
    await writeFile(join(scratch.outside, "a.txt"), "secret");
    const [folder, file] = ["folder", "folder/a.txt"].map((name) => JSON.stringify(at(name)));
    const outside = JSON.stringify(scratch.outside);
    const outcomes = new Set<string>();
    {
      // The other process may create what is removed: each step is tried, and the next round repairs it.
      await using _swapper = await swapping(`
        attempt(() => fs.rmSync(${folder}, { recursive: true, force: true }));
        attempt(() => fs.mkdirSync(${folder}));
        attempt(() => fs.writeFileSync(${file}, "mine", { flag: "wx" }));
        for (let turn = 0; turn < 300; turn += 1) attempt(() => fs.statSync(${file}));
        attempt(() => fs.rmSync(${folder}, { recursive: true, force: true }));
        attempt(() => fs.symlinkSync(${outside}, ${folder}));
        for (let turn = 0; turn < 300; turn += 1) attempt(() => fs.statSync(${file}));`);
      const { temporaries } = scratch;
      const files = new Files(scratch.context(), { missingFileIsEmpty: false, temporaries });
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
    expect(metBoth(outcomes)).toBe(true);
  });
});
