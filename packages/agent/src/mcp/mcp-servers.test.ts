import { expect, it, vi } from "vitest";
import { call, open, program } from "../../test/mcp/servers.ts";
import { openToolFixture } from "../../test/tools/tool-fixture.ts";

it("notices when a server's tools change", async () => {
  await using servers = open([program("changing")]);
  await servers.ready();
  const changes = vi.fn();
  const stop = servers.onChange(changes);
  await call(servers, "changing_grow");
  await expect.poll(() => servers.tools()).toHaveLength(2);
  expect(changes).toHaveBeenCalledTimes(1);
  await expect(call(servers, "changing_added-1")).resolves.toMatchObject({ output: "added-1" });
  stop();
  await call(servers, "changing_grow");
  await expect.poll(() => servers.tools()).toHaveLength(3);
  expect(changes).toHaveBeenCalledTimes(1);
});

it("has instructions, prompts and resources", async () => {
  await using servers = open([program("library"), program("tools")]);
  await servers.ready();
  expect(servers.instructions()).toEqual([
    { server: "library", text: "Ask the library before you guess." },
  ]);
  expect(servers.prompts()).toMatchObject([
    { name: "library:summary", description: "Summarises a book", arguments: ["book", "style"] },
    { name: "library:hello", arguments: [] },
  ]);
  const [summary] = servers.prompts();
  await expect(summary?.expand(`"War and Peace" very short`)).resolves.toBe(
    'Summarise War and Peace in the style: very short\n<resource uri="book://1">\nChapter one.\n</resource>',
  );
  await expect(summary?.expand("")).rejects.toThrow(
    "Missing: book. Use it as /library:summary <book> <style>",
  );
  const list = await call(servers, "list_mcp_resources");
  expect(list.output).toBe(
    "Server library:\n- book://1: One, The first book\n- book://1/cover: Cover",
  );
  const read = (uri: string, server = "library") =>
    call(servers, "read_mcp_resource", { server, uri });
  await expect(read("book://1")).resolves.toMatchObject({
    output: expect.stringContaining("Chapter one."),
  });
  await expect(read("book://1/cover")).resolves.toMatchObject({
    attachments: [{ mimeType: "image/png", data: "aGVsbG8=", name: "book://1/cover" }],
  });
  await expect(read("book://2")).rejects.toMatchObject({ reason: "mcp-server-error" });
  await expect(read("x", "nobody")).rejects.toThrow("Those that have: library");
});

it("asks for permission like the read tool if a server reads a file", async () => {
  await using servers = open([program("library")]);
  await using fixture = await openToolFixture();
  await servers.ready();
  await fixture.scratch.write({ ".env": "KEY=1\n", "../outside/a.txt": "x\n" });
  const { project, outside } = fixture.scratch;
  const asked = async (uri: string) => {
    fixture.asked.length = 0;
    const input = { server: "library", uri };
    const reading = call(servers, "read_mcp_resource", input, fixture.context);
    await expect(reading).rejects.toMatchObject({ reason: "mcp-server-error" });
    return fixture.asked.map(({ permission, mustAsk = [] }) => [permission, mustAsk.length]);
  };
  expect(await asked(`file://${project}/.env`)).toEqual([
    ["read", 0],
    ["read_mcp_resource", 1],
  ]);
  expect(fixture.asked[0]?.paths).toContain(`${project}/.env`);
  expect(await asked(`file://${outside}/a.txt`)).toEqual([
    ["external_directory", 0],
    ["read", 0],
    ["read_mcp_resource", 0],
  ]);
  expect(await asked("book://x/.env")).toEqual([["read_mcp_resource", 1]]);
});
