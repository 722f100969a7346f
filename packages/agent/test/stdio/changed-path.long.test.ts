import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { AcpConversation, Ask } from "./acp-conversation.ts";
import { open } from "./sandboxed-conversation.ts";

const call = (tool: string, input: object) => ({ tool, input });
const read = (filePath: string) => call("read", { filePath });
/** A project with `docs/a.txt`, and a file of that name outside. */
async function opened(steps: readonly (object | string)[]): Promise<AcpConversation> {
  const talk = await open([...steps, "Done."]);
  for (const folder of ["project/docs", "outside"]) {
    await mkdir(talk.path(folder), { recursive: true });
    await writeFile(talk.path(`${folder}/a.txt`), "same\n");
  }
  await writeFile(talk.path("project/docs/.env.test"), "TEST=1\n");
  await writeFile(talk.path("outside/.env.test"), "OUTSIDE SECRET\n");
  await talk.open();
  return talk;
}

/** What a background process of a confined command can do while the request is open. */
function swap(talk: AcpConversation, folder = "docs") {
  renameSync(talk.path(`project/${folder}`), talk.path("project/moved"));
  symlinkSync(talk.path("outside"), talk.path(`project/${folder}`));
}

function swapAt(talk: AcpConversation, title: RegExp, act = () => swap(talk)) {
  talk.answer = (ask: Ask) => {
    if (title.test(ask.title)) act();
    return ask.options.find(([, kind]) => kind === "allow_once")?.[0] ?? "";
  };
}

const outside = async (talk: AcpConversation) => {
  const names = (await readdir(talk.path("outside"))).sort();
  return Promise.all(names.map((name) => readFile(talk.path(`outside/${name}`), "utf8")));
};
const unchanged = ["OUTSIDE SECRET\n", "same\n", ""];

test.each([
  ["write of a new file", [call("write", { filePath: "docs/new.txt", content: "x\n" })], /^Write/],
  [
    "write of a new file in new folders",
    [call("write", { filePath: "docs/new/folder/a.txt", content: "x\n" })],
    /^Write/,
  ],
  [
    "write of a known file",
    [read("docs/a.txt"), call("write", { filePath: "docs/a.txt", content: "x\n" })],
    /^Write/,
  ],
  [
    "edit",
    [
      read("docs/a.txt"),
      call("edit", { filePath: "docs/a.txt", oldString: "same", newString: "x" }),
    ],
    /^Edit/,
  ],
  ["read of a guarded file", [read("docs/.env.test")], /^Read/],
] as const)(
  "a folder that becomes a link after the question fails: %s",
  async (_, steps, title) => {
    await using talk = await opened(steps);
    swapAt(talk, title);
    await talk.prompt("Go.");
    expect(talk.asks).toMatchObject([{ title: expect.stringMatching(title) as string }]);
    expect(talk.errors()).toEqual([expect.stringContaining("than when it was checked") as string]);
    expect(JSON.stringify(talk.outputs())).not.toContain("OUTSIDE");
    expect(await outside(talk)).toEqual(unchanged);
    expect((await readdir(talk.path("project/moved"))).sort()).toEqual([".env.test", "a.txt"]);
    expect(talk.faults()).toEqual([]);
  },
);

test("a file that becomes a link after the question is not read", async () => {
  await using talk = await opened([read("docs/.env.test")]);
  swapAt(talk, /^Read/, () => {
    renameSync(talk.path("project/docs"), talk.path("project/moved"));
    mkdirSync(talk.path("project/docs"));
    symlinkSync(talk.path(".ssh/id_rsa"), talk.path("project/docs/.env.test"));
  });
  await talk.prompt("Go.");
  expect(talk.errors()).toEqual([expect.stringContaining("than when it was checked") as string]);
  expect(JSON.stringify(talk.outputs())).not.toContain("KEY");
});

test("a link to an outside file is still written after a question about that file", async () => {
  await using talk = await opened([
    read("link/a.txt"),
    call("edit", { filePath: "link/a.txt", oldString: "same", newString: "x" }),
  ]);
  await symlink(talk.path("outside"), talk.path("project/link"));
  swapAt(talk, /never/);
  await talk.prompt("Go.");
  expect(talk.errors()).toEqual([]);
  expect(await readFile(talk.path("outside/a.txt"), "utf8")).toBe("x\n");
});

test.each([
  ["folder", (talk: AcpConversation) => swap(talk)],
  [
    "file",
    (talk: AcpConversation) => {
      renameSync(talk.path("project/docs/a.txt"), talk.path("project/docs/b.txt"));
      symlinkSync(talk.path("outside/a.txt"), talk.path("project/docs/a.txt"));
    },
  ],
])("undo writes nothing through a link that a %s has become", async (_, act) => {
  const edit = { filePath: "docs/a.txt", oldString: "same", newString: "x" };
  await using talk = await opened([read("docs/a.txt"), call("edit", edit)]);
  swapAt(talk, /never/);
  await talk.prompt("Go.");
  expect(await readFile(talk.path("project/docs/a.txt"), "utf8")).toBe("x\n");
  await writeFile(talk.path("outside/a.txt"), "x\n");
  act(talk);
  await talk.prompt("/undo");
  expect(talk.said()).toContain("Nothing was undone");
  expect(await readFile(talk.path("outside/a.txt"), "utf8")).toBe("x\n");
});
