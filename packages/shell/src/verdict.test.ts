import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, hostileProject } from "../test/project-fixture.ts";
import { type Judge, openJudge, type Verdict } from "./verdict.ts";

let fixture: Fixture;
let judge: Judge;

beforeAll(async () => {
  fixture = await hostileProject();
  await mkdir(join(fixture.project, "src/deep/deeper"), { recursive: true });
  await symlink(join(fixture.project, "src"), join(fixture.project, "src/deep/deeper/up"));
  judge = await openJudge(fixture.home);
});

afterAll(() => fixture[Symbol.asyncDispose]());

function judged(line: string, path = ""): Promise<Verdict> {
  const { project } = fixture;
  return judge.judge(line, { cwd: project, roots: [project], path });
}

async function codes(line: string, path?: string): Promise<string[]> {
  return (await judged(line, path)).reasons.map(({ code }) => code);
}

describe("paths that leave the project", () => {
  it.each([
    // `..` after a link, as the kernel and as the shell resolve it.
    "cat link-out/../outside/secret.txt",
    "cat link-out/../outside/*",
    "cd -P link-out/.. && cat outside/secret.txt",
    "cd link-out && ls",
    "cd src/deep/deeper/up && cat ../../outside/secret.txt",
    "cat < link-file",
    "cat ~root/.profile",
    "cat ~+/../outside/secret.txt",
    "cat ../outside/secret.txt",
    "cd src/deep && cd ../../.. && ls",
    "cd src; cd ..; cd ..; cat x",
    "cd src/deep; for i in $(seq 3); do cd ..; done; cat x",
    "cd src/deep; while true; do cd ..; cat x; done",
    "cd missing; cd ..; cat x",
  ])("%s needs permission", async (line) => {
    expect(await codes(line)).toContain("outside");
  });

  it("need permission if they are too long for the kernel", async () => {
    // The kernel opens it as a relative path, but not as an absolute one.
    const names = Array.from({ length: 20 }, () => "d".repeat(200));
    const [top = ""] = names;
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => {
      // `fs.rm` uses absolute paths, which are too long for the kernel.
      execFileSync("rm", ["-rf", top], { cwd: fixture.project });
    });
    const place = `${names.join("/")}/${"e".repeat(60)}`;
    const make = `for d in ${names.join(" ")} ${"e".repeat(60)}; do mkdir "$d"; cd -P "$d"; done; ln -s "$0"/secret.txt link`;
    execFileSync("bash", ["-c", make, fixture.outside], { cwd: fixture.project });
    const read = execFileSync("cat", [`${place}/link`], { cwd: fixture.project, encoding: "utf8" });
    expect(read).not.toBe("");
    expect(await codes(`cat ${place}/link`)).toContain("outside");
    expect(await codes(`cat ${place}/link/../../README.md`)).toContain("outside");
    expect(await codes(`cd ${place} && cat link`)).toContain("outside");
  });

  it("names the target of a link", async () => {
    const { reasons } = await judged("cat link-file");
    expect(reasons.map(({ message }) => message)).toEqual([
      `${fixture.project}/link-file leads to ${fixture.outside}/secret.txt, outside the project`,
    ]);
  });

  it.each([
    "cat src/../README.md",
    "cd src && cat ../README.md",
    "cat missing/../README.md",
    "cd src/deep && cat c.ts && cd ..",
    "cd src; cd ..; cat README.md",
  ])("%s stays inside", async (line) => {
    expect(await codes(line)).toEqual([]);
  });
});

describe("loops over file names", () => {
  beforeAll(async () => {
    const folder = join(fixture.project, "loops");
    await mkdir(join(folder, "sub"), { recursive: true });
    for (const name of ["a .env .txt", "-oPWNED"]) await writeFile(join(folder, name), "");
    await mkdir(join(folder, "plain/sub"), { recursive: true });
    for (const name of ["a.txt", "sub/a.txt"]) await writeFile(join(folder, "plain", name), "");
  });

  it.each([
    "for f in *.txt; do cat sub/$f; done",
    'for f in *; do sort "$f.txt"; done',
    "for f in *; do cat $f; done",
  ])("%s needs permission where a name may become several words", async (line) => {
    expect(await codes(`cd loops && ${line}`)).toContain("unknown");
    expect(await codes(`cd loops/plain && ${line.replace("in *;", "in *.txt;")}`)).toEqual([]);
  });
});

describe("a line that takes long to parse", () => {
  it("is unreadable", async () => {
    const values = Array.from({ length: 31 }, (_, index) => index).join(" ");
    const open = ["a", "b", "c", "d"].map((name) => `for ${name} in ${values}; do `).join("");
    expect(await codes(`${open}case x in esac; ${"done; ".repeat(4)}`)).toContain("unreadable");
    expect(await codes(`find . ${"\\( ".repeat(2_600)}-true`)).not.toEqual([]);
  });
});

describe("variables", () => {
  it.each(["x=1; cat README.md", "LC_ALL=C ls", "name=value"])(
    "%s needs no permission",
    async (line) => {
      expect(await codes(line)).toEqual([]);
    },
  );

  it.each(["path=./evil; ls", "https_proxy=x; ls", "PATH=. ls", "LANGUAGE=../x ls"])(
    "%s needs permission",
    async (line) => {
      expect(await codes(line)).toContain("unknown");
    },
  );
});

describe("a folder of the project in PATH", () => {
  it("needs permission when it contains the program", async () => {
    const bin = join(fixture.project, "bin");
    await mkdir(bin, { recursive: true });
    expect(await codes("cat README.md", `/usr/bin:${bin}`)).toEqual([]);
    await writeFile(join(bin, "cat"), "");
    expect(await codes("cat README.md", `/usr/bin:${bin}`)).toEqual(["project"]);
    expect(await codes("cat README.md", "bin")).toEqual(["project"]);
    expect(await codes("cd src && cat a.ts", "../bin:/usr/bin")).toEqual(["project"]);
    expect(await codes("cat README.md", "/usr/bin")).toEqual([]);
  });

  it("needs permission when it contains a wrapper", async () => {
    const bin = join(fixture.project, "wrappers");
    await mkdir(bin);
    await writeFile(join(bin, "timeout"), "");
    expect(await codes("timeout 5 ls", bin)).toEqual(["project"]);
    await symlink(bin, join(fixture.outside, "bin"));
    expect(await codes("timeout 5 ls", join(fixture.outside, "bin"))).toEqual(["project"]);
  });

  it("needs permission when a link in PATH was changed to it since the last line", async () => {
    const [bin, link] = [join(fixture.project, "later"), join(fixture.outside, "later")];
    await mkdir(bin);
    await writeFile(join(bin, "cat"), "");
    await symlink("/usr/bin", link);
    expect(await codes("cat README.md", link)).toEqual([]);
    await rm(link);
    await symlink(bin, link);
    expect(await codes("cat README.md", link)).toEqual(["project"]);
  });

  it("needs permission when it contains a helper of the program", async () => {
    const bin = join(fixture.project, "helpers");
    await mkdir(bin);
    await writeFile(join(bin, "sed"), "");
    expect(await codes("git submodule status", bin)).toEqual(["project"]);
    await writeFile(join(bin, "gzip"), "");
    expect(await codes("tar tzf a.tgz", bin)).toEqual(["project"]);
    expect(await codes("cat README.md", bin)).toEqual([]);
  });

  it("needs no permission when only a folder there has the name of a program", async () => {
    await mkdir(join(fixture.project, "folders/cat"), { recursive: true });
    expect(await codes("cat README.md", join(fixture.project, "folders"))).toEqual([]);
  });

  it("is not the working folder when the line has no PATH", async () => {
    await writeFile(join(fixture.project, "wc"), "");
    expect(await codes("wc README.md")).toEqual([]);
  });
});

it("lists only the first few paths", async () => {
  const { reasons } = await judged("cat /usr/bin/c*");
  expect(reasons.map(({ code }) => code)).toEqual(Array(5).fill("outside"));
});
