import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withoutRights } from "../../../test/acp-client/rights.ts";
import { refusedWith } from "../../../test/acp-client/scratch.ts";
import { Temporaries } from "./temporaries.ts";

let folder: string;
let project: string;
let notes: string;
let reported: string[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "landline-temporaries-")));
  project = join(folder, "project");
  notes = join(folder, "writes");
  reported = [];
  await mkdir(project);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () =>
  Temporaries.open(notes, {
    limits: limitsOf("default"),
    report: (path) => void reported.push(path),
  });

/** A write that a kill interrupted: recorded, with its file. */
async function cutShort(path: string): Promise<string> {
  const { name } = (await open()).note(path);
  const temporary = join(dirname(path), name);
  await writeFile(temporary, "half of");
  return temporary;
}

it("records a file while it exists", async () => {
  const temporaries = await open();
  const one = temporaries.note(join(project, "a.txt"));
  const other = temporaries.note(join(project, "a.txt"));
  expect(one.name).not.toBe(other.name);
  expect(await readdir(notes)).toHaveLength(2);
  one.gone();
  other.gone();
  expect(await readdir(notes)).toEqual([]);
});

it("removes leftovers at the next start, and nothing else", async () => {
  await writeFile(join(project, ".a.txt.0123456789ab.tmp"), "somebody else's");
  await cutShort(join(project, "a.txt"));
  await open();
  expect(await readdir(project)).toEqual([".a.txt.0123456789ab.tmp"]);
  expect(await readdir(notes)).toEqual([]);
  expect(reported).toEqual([]);
});

it("handles names that are not valid UTF-8", async () => {
  await cutShort(join(project, `${"x".repeat(39)}🙂.txt`));
  await cutShort(join(project, "line\nfeed"));
  await open();
  expect(await readdir(project)).toEqual([]);
});

it.each([
  ["its file was never created", async (temporary: string) => rm(temporary)],
  ["its folder is gone", async (temporary: string) => rm(dirname(temporary), { recursive: true })],
  [
    "a folder is in its place",
    async (temporary: string) => {
      await rm(temporary);
      await mkdir(temporary);
    },
  ],
])("removes a record when %s", async (_when, change) => {
  await change(await cutShort(join(project, "a.txt")));
  await open();
  expect(await readdir(notes)).toEqual([]);
  expect(reported).toEqual([]);
});

it("follows no link: neither at the file nor at its folder", async () => {
  const outside = join(folder, "outside");
  await mkdir(outside);
  const temporary = await cutShort(join(project, "a.txt"));
  await rm(temporary);
  await writeFile(join(outside, "kept"), "kept");
  await symlink(join(outside, "kept"), temporary);
  await open();
  expect(await readFile(temporary, "utf8")).toBe("kept");

  const inside = join(project, "inside");
  await mkdir(inside);
  const deeper = await cutShort(join(inside, "a.txt"));
  await rm(inside, { recursive: true });
  await writeFile(join(outside, deeper.slice(inside.length + 1)), "kept");
  await symlink(outside, inside);
  await open();
  expect(await readFile(deeper, "utf8")).toBe("kept");
  expect(await readdir(notes)).toEqual([]);
});

it("ignores records that it cannot have written", async () => {
  const temporary = await cutShort(join(project, "a.txt"));
  const [id = ""] = await readdir(notes);
  const name = temporary.slice(project.length + 1);
  await writeFile(join(project, "mine.txt"), "mine");
  const forged: [string, string][] = [
    ["000000000001", JSON.stringify({ folder: project, name: "mine.txt" })],
    ["000000000002", JSON.stringify({ folder: project, name })],
    ["000000000003", JSON.stringify({ folder: dirname(project), name: `project/${name}` })],
    ["000000000004", JSON.stringify({ folder: "project", name: ".a.000000000004.tmp" })],
    ["000000000005", ""],
    ["000000000006", "null"],
  ];
  await rm(join(notes, id));
  for (const [note, text] of forged) await writeFile(join(notes, note), text);
  await writeFile(join(notes, "readme"), "not a note");
  await open();
  expect((await readdir(project)).sort()).toEqual([name, "mine.txt"]);
  expect(await readdir(notes)).toEqual(["readme"]);
});

it("keeps the record of a file that can't be removed", async () => {
  const temporary = await cutShort(join(project, "a.txt"));
  const [id = ""] = await readdir(notes);
  await chmod(join(notes, id), 0o644);
  await chmod(notes, 0o777);
  await chmod(project, 0o555);
  await withoutRights(folder, async () => {
    await open();
    expect(reported).toEqual([temporary]);
    expect(await readdir(notes)).toHaveLength(1);
  });
  await chmod(project, 0o755);
  await open();
  expect(await readdir(project)).toEqual([]);
});

it("creates no file that it can't record", async () => {
  const temporaries = await open();
  await rm(notes, { recursive: true });
  const noting = Promise.try(() => temporaries.note(join(project, "a.txt")));
  expect(await refusedWith(noting)).toBe("disk-failed");
});
