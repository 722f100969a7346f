import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ordinaryCorpus } from "./corpus.ts";
import { isSkipped, stateOf, StraceRig } from "./strace-rig.ts";
import { violations } from "./violations.ts";

describe.skipIf(isSkipped)("lines that need no permission, under strace,", () => {
  let rig: StraceRig;

  beforeAll(async () => {
    rig = await StraceRig.open();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  // These need permission. They show how the tests below would fail.
  it.each([
    ["touch new.txt", "openat "],
    ["ls > new.txt", "openat "],
    ["rm README.md", "unlinkat "],
    ["chmod 600 README.md", "chmod"],
    ["mkdir new", "mkdir"],
    ["ln -s a b", "symlink"],
    ["cat /etc/shells", "reads /etc/shells"],
    ["cat /proc/self/environ", "reads /proc/"],
    ["cat ../outside/secret.txt", "reads "],
    ["cat link-file", "reads "],
    ["cat .env", "/.env"],
    ["echo x > /dev/tcp/127.0.0.1/9", "connects to AF_INET"],
    ["git -c core.fsmonitor='id -u' status", "runs "],
    ["awk 'BEGIN {system(\"id -u\")}'", "runs "],
    ["perl -e 'system(\"id -u\")'", "runs "],
    ["(sleep 0; touch new.txt) & wait", "openat "],
  ])("reports what %s does", async (line, violation) => {
    const [verdict, trace] = [
      await rig.judged(line, rig.hostile),
      await rig.traced(line, rig.hostile),
    ];
    expect(verdict.reasons).not.toEqual([]);
    expect(violations(verdict, trace, rig.hostile.project).join("\n")).toContain(violation);
  });

  it("do no more than allowed: the ordinary corpus", async () => {
    const before = stateOf(rig.ordinary.project);
    const lines = ordinaryCorpus(rig.ordinary).map(({ line }) => line);
    const { wrong, started } = await rig.execute(
      await rig.allowedOf(lines, rig.ordinary),
      rig.ordinary,
    );
    expect(wrong).toEqual([]);
    expect(started).toBeGreaterThan(200);
    expect(stateOf(rig.ordinary.project)).toEqual(before);
  });
});
