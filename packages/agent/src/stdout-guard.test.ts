import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("what packages print and what they forget goes to standard error, and ends nothing", () => {
  const script = `
    import { guardOutput } from ${JSON.stringify(new URL("stdout-guard.ts", import.meta.url).href)};
    guardOutput();
    console.log("a banner");
    console.info("a note");
    void Promise.reject(new Error("forgotten"));
    setImmediate(() => process.stdout.write("protocol"));
  `;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(ran).toMatchObject({ status: 0, stdout: "protocol" });
  for (const words of ["a banner", "a note", "forgotten"]) expect(ran.stderr).toContain(words);
});
