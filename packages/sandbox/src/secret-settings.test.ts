import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withSecrets } from "./secret-settings.ts";

test.each([
  ["org.gradle.jvmargs=-Xmx2g\norg.gradle.caching=true\n", false],
  ["mavenPassword=x\n", true],
  ["signing.password = x\n", true],
  ["gpr.token: x\n", true],
  ["systemProp.http.proxy=http://me:x@proxy:80\n", true],
])("Gradle settings with %j are hidden from programs: %j", async (text, isKept) => {
  const folder = await mkdtemp(join(tmpdir(), "landline-settings-"));
  const [file, other] = [join(folder, ".gradle/gradle.properties"), join(folder, ".netrc")];
  await mkdir(join(folder, ".gradle"));
  await writeFile(file, text);
  expect(await withSecrets([file, other])).toEqual(isKept ? [file, other] : [other]);
  await rm(folder, { recursive: true });
});
