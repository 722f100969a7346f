import { gzipSync } from "node:zlib";
import * as path from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";

const source = path.join(import.meta.dirname, "../src");

/** With compression; about a tenth more than the size when this was written. */
const mostBytes = { index: 39_500, withReact: 41_500 } as const;

/** The modules that a page loads, by package. */
async function bundle(entries: readonly string[]) {
  const modules = new Set<string>();
  const build = await rolldown({
    input: "entry",
    external: ["react"],
    resolve: { conditionNames: ["@landline/source", "import", "browser", "default"] },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? id : null),
        load: (id) =>
          id === "entry"
            ? entries.map((file) => `export * from "${path.join(source, file)}";`).join("\n")
            : null,
      },
    ],
  });
  const { output } = await build.generate({ minify: true, format: "esm" });
  let bytes = 0;
  for (const chunk of output) {
    if (chunk.type !== "chunk") continue;
    bytes += gzipSync(chunk.code, { level: 9 }).length;
    for (const [id, { renderedLength }] of Object.entries(chunk.modules)) {
      if (renderedLength > 0) modules.add(id);
    }
  }
  await build.close();
  return { bytes, modules: [...modules] };
}

describe("what a page loads", () => {
  it("is small, and contains nothing that a page does not need", async () => {
    const index = await bundle(["index.ts"]);
    const withReact = await bundle(["index.ts", "react.ts"]);
    expect(index.bytes).toBeLessThan(mostBytes.index);
    expect(withReact.bytes).toBeLessThan(mostBytes.withReact);
    const foreign = withReact.modules.filter((id) => /node_modules/.test(id));
    expect(foreign.every((id) => id.includes("eventsource-parser"))).toBe(true);
    expect(
      withReact.modules.filter((id) => /zod|protocol\/src\/(?:commands|compat\/dialects)/.test(id)),
    ).toEqual([]);
  });
});
