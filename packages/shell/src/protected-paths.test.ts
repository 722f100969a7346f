import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import {
  credentialPlaces,
  credentialsIn,
  mayBeProtectedName,
  protectedPlaces,
  protectionOf,
} from "./protected-paths.ts";

describe("protectionOf", () => {
  it.each([
    "/p/.env",
    "/p/.ENV",
    "/p/.env.local",
    "/p/server.pem",
    "/p/certs/server.key",
    "/p/.npmrc",
    "/home/u/.ssh/config",
    "/p/id_ed25519",
    "/home/u/.aws/credentials",
    "/home/u/.docker/config.json",
    "/proc/self/environ",
    "/proc/1/task/1/environ",
    "/home/u/.local/share/landline/tokens.json",
    // Copies that editors and people leave behind.
    "/p/.env~",
    "/p/.env.swp",
    "/p/#.env#",
    "/p/.#.env",
    "/p/server.key.bak",
    "/p/.server.key.swp",
    "/p/id_rsa.old",
    "/p/id_rsa~",
    "/p/.id_rsa.swp",
    "/p/.netrc.orig",
    "/p/AuthKey.p8",
    "/p/terraform.tfstate",
    "/p/prod.tfstate.backup",
    "/p/.dev.vars",
    // Keys and tokens of other agents.
    "/home/u/.claude/.credentials.json",
    "/home/u/.codex/auth.json",
    "/home/u/.gemini/oauth_creds.json",
    "/home/u/.local/share/opencode/auth.json",
  ])("takes %s as a credential", (path) => {
    expect(protectionOf(path)?.kind).toBe("credential");
  });

  it.each([
    "/p/.git/config",
    "/p/.git",
    "/p/sub/.git/hooks/pre-commit",
    "/p/.husky/pre-push",
    "/p/landline.jsonc",
    "/p/.mcp.json",
    "/p/.claude/settings.json",
    "/p/.vscode/tasks.json",
    "/p/.factory/settings.json",
    "/p/.jj/repo/config.toml",
    "/p/lint-staged.config.js",
    "/p/crush.json",
    "/p/.github/workflows/ci.yml",
    "/home/u/.bashrc",
    "/home/u/.config/landline/agent.jsonc",
    "/home/u/.local/share/landline/rules-damage.json",
    "/srv/settings/landline/trusted-folders.json",
  ])("takes %s as a protected place", (path) => {
    expect(protectionOf(path)?.kind).toBe("protected");
  });

  it.each([
    "/p/.env.example",
    "/p/.env.sample",
    "/p/.env.template",
    "/p/.env.example~",
    "/p/id_rsa.pub",
    "/p/id_rsa.pub.bak",
    "/p/src/auth.json",
    "/p/keys.bak",
    "/p/src/environment.ts",
    "/p/.gitignore",
    "/p/landline/src/a.ts",
    "/p/.landline/plans/a.md",
    "/p/keyboard.ts",
  ])("leaves %s alone", (path) => {
    expect(protectionOf(path)).toBeNull();
  });
});

describe("mayBeProtectedName", () => {
  const special = [...credentialPlaces("/"), ...protectedPlaces("/")].map((path) => path.slice(1));
  const names = fc.oneof(
    fc.constantFrom(...special.flatMap((path) => path.split("/"))),
    fc.constantFrom(
      "a.txt",
      "server.key",
      "x.PEM",
      "id_rsa",
      ".env.local",
      "agent.jsonc",
      "landline",
    ),
    fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !/[/\0]/.test(name)),
  );
  const changed = fc
    .tuple(names, fc.constantFrom("", "~", ".bak", "#", ".swp", ".old~"), fc.boolean())
    .map(([name, end, isUpper]) => (isUpper ? name.toUpperCase() : name) + end);

  test.prop([fc.array(changed, { minLength: 1, maxLength: 4 })])(
    "is true for the last name of each protected path below unprotected folders",
    (parts) => {
      const path = `/${parts.join("/")}`;
      const isBelowSpecial = parts.some(
        (_, index) => index > 0 && protectionOf(`/${parts.slice(0, index).join("/")}`) !== null,
      );
      if (!isBelowSpecial && protectionOf(path) !== null)
        expect(mayBeProtectedName(parts.at(-1) ?? "")).toBe(true);
    },
  );

  it.each(["index.ts", "README.md", "package.json", "main.key.ts"])("is not %s", (name) => {
    expect(mayBeProtectedName(name)).toBe(false);
  });
});

describe("credentialsIn", () => {
  it.each([
    ["/p", ".env", true],
    ["/p", ".env~", true],
    ["/p/.codex", "auth.json", true],
    ["/p", "auth.json", false],
    ["/p/.ssh", "config", true],
    ["/p/.aws/sub", "anything", true],
    ["/p/.docker", "config.json", true],
    ["/p/.docker", "daemon.json", false],
    ["/p/landline", "tokens.json", true],
    ["/p/landline", "README.md", false],
    ["/p", "README.md", false],
  ])("in %s, %s: %j", (folder, name, expected) => {
    expect(credentialsIn(folder)(name)).toBe(expected);
  });

  it("agrees with protectionOf", () => {
    for (const [folder, name] of [
      ["/p/.config/gh", "hosts.yml"],
      ["/p/.cargo", "credentials.toml"],
      ["/p/a", "b.PEM"],
      ["/p/a", "b.txt"],
    ] as const) {
      const isCredential = protectionOf(`${folder}/${name}`)?.kind === "credential";
      expect(credentialsIn(folder)(name)).toBe(isCredential);
    }
  });
});

it("contains what redirects git in a repository", () => {
  expect(protectedPlaces("/project")).toEqual(
    expect.arrayContaining(["/project/.git", "/project/.git/commondir", "/project/.git/hooks"]),
  );
});
