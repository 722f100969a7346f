import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("console output and unhandled rejections go to stderr and do not end the process", () => {
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
