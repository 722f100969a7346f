import { basename, join } from "node:path";

/**
 * Why a path is protected. Reading or writing a `credential` needs permission. Writing to a `protected` place does,
 * because other programs execute or trust its content.
 */
export interface Protection {
  readonly kind: "credential" | "protected";
  /** What it is, for the permission request. */
  readonly what: string;
}

/** By the path alone. Ignores case, because some file systems do. */
export function protectionOf(path: string): Protection | null {
  const parts = path.replaceAll("\\", "/").toLowerCase().split("/").filter(Boolean);
  const what = credentialOf(parts);
  if (what !== null) return { kind: "credential", what };
  const place = protectedPlace(parts);
  return place === null ? null : { kind: "protected", what: place };
}

/**
 * A cheap pre-check for walks over many files that do not enter protected folders: false if no protected path ends with
 * this name.
 */
export function mayBeProtectedName(name: string): boolean {
  const lower = name.toLowerCase();
  return specialShape.test(lower) || specialNames.has(lower);
}

/**
 * Why only a person may allow access to a file, as a clause; null if it is not protected. `paths`: its paths with and
 * without links followed.
 */
export function protectionReason(
  paths: readonly string[],
  access: "read" | "write",
  shown: string = paths[0] ?? "",
): { readonly kind: Protection["kind"]; readonly message: string } | null {
  const found = paths.flatMap((path) => protectionOf(path) ?? []);
  const credential = found.find(({ kind }) => kind === "credential");
  if (credential) return { kind: "credential", message: `${shown} may hold ${credential.what}` };
  const place = access === "write" ? found[0] : undefined;
  return place ? { kind: "protected", message: `${shown} is protected (${place.what})` } : null;
}

/** Returns a test for the file names in one folder, for searches over many files. */
export function credentialsIn(folder: string): (name: string) => boolean {
  const path = `${folder.replaceAll("\\", "/").toLowerCase()}/`;
  if (credentialFolders.some(([place]) => path.includes(`/${place}/`))) return () => true;
  return (name) => {
    const lower = name.toLowerCase();
    if (credentialFile(lower) !== null) return true;
    const whole = path + lower;
    return credentialEnds.some((end) => whole.endsWith(end));
  };
}

/** Where programs store credentials in a home folder. */
export function credentialPlaces(home: string): string[] {
  const names = [...credentialFolders, ...credentialPaths].map(([place]) => place);
  return [...names, ...credentialFiles.keys(), ".nuget/NuGet/NuGet.Config"].map((name) =>
    join(home, name),
  );
}

/** Files and folders in `.git` that make git run programs or read other settings. */
export const gitConfigPaths: readonly string[] = [
  "config",
  "config.worktree",
  "commondir",
  "hooks",
  "info",
  "modules",
];

/** Credential files that also name programs: `yarnPath`, `script-shell`, commands of direnv. */
const runningCredentialFiles = [".npmrc", ".yarnrc.yml", ".envrc"];

/** Paths in a folder whose content other programs execute or trust. */
export function protectedPlaces(folder: string): string[] {
  const names = protectedFolders.map(([place]) => place);
  const settings = gitConfigPaths.map((name) => `.git/${name}`);
  const files = [...protectedFiles.keys(), ...runningCredentialFiles];
  return [...names, ...settings, ...files].map((name) => join(folder, name));
}

const keyFiles = new Set([
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "id_ecdsa_sk",
  "id_ed25519_sk",
]);

const credentialFiles: ReadonlyMap<string, string> = new Map([
  [".netrc", "passwords for network services"],
  ["_netrc", "passwords for network services"],
  [".npmrc", "npm credentials"],
  [".yarnrc.yml", "npm credentials"],
  [".pypirc", "PyPI credentials"],
  [".git-credentials", "git credentials"],
  [".pgpass", "database passwords"],
  [".my.cnf", "database passwords"],
  [".htpasswd", "passwords"],
  [".vault-token", "a Vault token"],
  [".envrc", "passwords or keys"],
  [".dockercfg", "registry credentials"],
  ["application_default_credentials.json", "cloud credentials"],
  ["agent-credentials.json", "provider keys"],
  [".credentials.json", "provider keys"],
  ["oauth_creds.json", "provider keys"],
  [".dev.vars", "passwords or keys"],
  [".s3cfg", "cloud credentials"],
  [".boto", "cloud credentials"],
  [".mylogin.cnf", "database passwords"],
  [".msmtprc", "passwords for network services"],
]);

const copyEndings = "bak|backup|old|orig|save|copy|sw[a-p]";
const keyEndings = "pem|key|p8|p12|pfx|jks|keystore|keytab|kdbx|ppk";

/** Suffixes of copies: `.env~`, `id_rsa.bak`, `.server.key.swp`, `#.env#`. */
const copySuffix = new RegExp(`(?:~|#|\\.(?:${copyEndings}))+$`);
const keySuffix = new RegExp(`\\.(?:${keyEndings})$`);

function credentialFile(written: string): string | null {
  const plain = written.replace(copySuffix, "").replace(/^\.?#/, "");
  const found = plain === "" ? null : plainCredentialFile(plain);
  // Some editors put a dot in front of the copy's name.
  const isCopy = found === null && plain !== written && plain.startsWith(".");
  return isCopy ? plainCredentialFile(plain.slice(1)) : found;
}

function plainCredentialFile(name: string): string | null {
  if (name === ".env" || (name.startsWith(".env.") && !/\.(?:example|sample|template)$/.test(name)))
    return "passwords or keys";
  if (keySuffix.test(name)) return "a private key or certificate";
  if (name.endsWith(".tfstate")) return "passwords or keys";
  if (keyFiles.has(name)) return "an SSH key";
  return credentialFiles.get(name) ?? null;
}

/** Folders that contain credentials, with the end of their path. */
const credentialFolders: readonly (readonly [string, string])[] = [
  [".ssh", "SSH keys and configuration"],
  [".gnupg", "GnuPG keys"],
  [".aws", "cloud credentials"],
  [".azure", "cloud credentials"],
  [".config/gcloud", "cloud credentials"],
  [".config/gh", "GitHub credentials"],
  [".config/op", "1Password credentials"],
  [".kube", "cluster credentials"],
  [".oci", "cloud credentials"],
  [".password-store", "passwords"],
  ["library/keychains", "passwords and keys"],
  [".local/share/keyrings", "passwords and keys"],
  [".local/share/uv/credentials", "registry credentials"],
  [".dotnet/corefx/cryptography/x509stores", "private keys"],
];

const credentialPaths: readonly (readonly [string, string])[] = [
  [".docker/config.json", "registry credentials"],
  [".cargo/credentials", "cargo credentials"],
  [".cargo/credentials.toml", "cargo credentials"],
  [".gem/credentials", "gem credentials"],
  [".m2/settings.xml", "Maven credentials"],
  [".m2/settings-security.xml", "Maven credentials"],
  [".ivy2/.credentials", "Ivy credentials"],
  [".gradle/gradle.properties", "Gradle credentials"],
  [".nuget/nuget/nuget.config", "NuGet credentials"],
  [".config/git/credentials", "git credentials"],
  [".cache/huggingface/token", "Hugging Face credentials"],
  [".cache/huggingface/stored_tokens", "Hugging Face credentials"],
  ["landline/tokens.json", "Landline tokens"],
  [".codex/auth.json", "provider keys"],
  ["opencode/auth.json", "provider keys"],
  [".composer/auth.json", "registry credentials"],
  ["rclone/rclone.conf", "cloud credentials"],
  ["etc/shadow", "password hashes"],
  ["etc/gshadow", "password hashes"],
];

const credentialEnds = credentialPaths.map(([place]) => `/${place}`);

function credentialOf(parts: readonly string[]): string | null {
  const name = parts.at(-1) ?? "";
  const byName = credentialFile(name);
  if (byName !== null) return byName;
  const path = `/${parts.join("/")}`;
  // The environment and memory of processes.
  if (
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|cmdline|fd|root|cwd|maps)(?:\/|$)/.test(path)
  )
    return "the state of a process";
  const folder = credentialFolders.find(([place]) => `${path}/`.includes(`/${place}/`));
  if (folder) return folder[1];
  return credentialPaths.find(([place]) => path.endsWith(`/${place}`))?.[1] ?? null;
}

/** Folders whose content other programs execute or trust. */
const protectedFolders: readonly (readonly [string, string])[] = [
  [".git", "the repository's own data and hooks"],
  [".hg", "the repository's own data and hooks"],
  [".jj", "the repository's own data and hooks"],
  [".husky", "git hooks"],
  [".githooks", "git hooks"],
  [".landline", "agent configuration"],
  [".claude", "agent configuration"],
  // The user's permission levels, rules and trusted folders, which apply to every session.
  [".config/landline", "agent configuration"],
  [".local/share/landline", "data of Landline"],
  // Compiled code that Landline runs.
  [".cache/landline", "data of Landline"],
  [".opencode", "agent configuration"],
  [".config/opencode", "agent configuration"],
  [".codex", "agent configuration"],
  [".gemini", "agent configuration"],
  [".qwen", "agent configuration"],
  [".cursor", "agent configuration"],
  [".goose", "agent configuration"],
  [".copilot", "agent configuration"],
  [".github/hooks", "agent configuration"],
  [".kimi", "agent configuration"],
  [".cline", "agent configuration"],
  [".clinerules", "agent configuration"],
  [".factory", "agent configuration"],
  [".kilo", "agent configuration"],
  [".kilocode", "agent configuration"],
  [".pi", "agent configuration"],
  [".augment", "agent configuration"],
  [".kiro", "agent configuration"],
  [".roo", "agent configuration"],
  [".amp", "agent configuration"],
  [".crush", "agent configuration"],
  [".vscode", "editor configuration"],
  [".idea", "editor configuration"],
  [".zed", "editor configuration"],
  [".devcontainer", "editor configuration"],
  [".helix", "editor configuration"],
  [".github/workflows", "a CI workflow"],
  [".github/actions", "a CI workflow"],
  [".gitea/workflows", "a CI workflow"],
  [".forgejo/workflows", "a CI workflow"],
  [".circleci", "a CI workflow"],
  [".buildkite", "a CI workflow"],
  [".woodpecker", "a CI workflow"],
  [".config/fish", "shell start-up files"],
  [".config/git", "git configuration"],
  [".config/autostart", "programs that start by themselves"],
  [".config/systemd", "services"],
];

const protectedFiles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "agent configuration":
      "landline.json landline.jsonc opencode.json opencode.jsonc .mcp.json .claude.json .cursorrules .goosehints crush.json " +
      ".crush.json .aider.conf.yml",
    "git configuration": ".gitconfig .gitmodules",
    "git hooks":
      "lefthook.yml lefthook.yaml .lefthook.yml .pre-commit-config.yaml .lintstagedrc .lintstagedrc.js " +
      ".lintstagedrc.cjs .lintstagedrc.mjs .lintstagedrc.json .lintstagedrc.yml lint-staged.config.js lint-staged.config.cjs " +
      "lint-staged.config.mjs",
    "a CI workflow":
      ".gitlab-ci.yml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile .drone.yml .woodpecker.yml appveyor.yml .appveyor.yml",
    "shell start-up files":
      ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .xprofile .xinitrc",
    "settings that run code": ".pnpmfile.cjs .yarnrc",
  }).flatMap(([what, names]) => names.split(" ").map((name) => [name, what] as const)),
);

/** The same files for other names of the configuration and data folders. */
const ownFiles = /\/landline\/(?:agent\.jsonc?|trusted-folders\.json|rules\.json)\/$/;

const specialShape = new RegExp(`^[.#]|\\\\|[~#]$|\\.(?:tfstate|${copyEndings}|${keyEndings})$`);
const specialNames: ReadonlySet<string> = new Set([
  ...keyFiles,
  ...credentialFiles.keys(),
  ...protectedFiles.keys(),
  ...[...credentialFolders, ...credentialPaths, ...protectedFolders].map(([place]) =>
    basename(place),
  ),
  "agent.json",
  "agent.jsonc",
  "trusted-folders.json",
  "rules.json",
]);

function protectedPlace(parts: readonly string[]): string | null {
  const path = `/${parts.join("/")}/`;
  // Plan mode writes its plans there.
  const isPlan = /\/\.landline\/plans\/[^/]+\.md\/$/.test(path);
  const folder = protectedFolders.find(([place]) => path.includes(`/${place}/`));
  if (folder && !isPlan) return folder[1];
  if (ownFiles.test(path)) return "agent configuration";
  return protectedFiles.get(basename(parts.at(-1) ?? "")) ?? null;
}
