import type { SeenCommand } from "./bash-walk.ts";

/**
 * How many words say what a command does, the first included; options do not count. What is not here is
 * known by its first word. The longest name that fits decides: `npm run` goes before `npm`.
 */
const arities = new Map<string, number>(
  Object.entries({
    2: [
      "apk apt apt-get brew bun bundle cargo choco cmake-build composer conda corepack dart deno dnf dotnet",
      "flutter gem git go gradle gradlew ./gradlew helm hg just make mise mix mvn ./mvnw nix npm npx nx pacman",
      "pip pip3 pipenv pipx playwright pnpm pnpx poetry prisma rails rake rustup sbt scoop sfdx snap stack",
      "supabase swift svn systemctl service task terraform tofu turbo uv uvx vagrant vercel winget xcodebuild",
      "yarn yum zig docker podman kubectl oc heroku fly flyctl netlify firebase wrangler tmux",
      "bash sh zsh dash source . node python python3 ruby perl php lua tsx ts-node Rscript java",
    ],
    3: [
      "aws az gcloud gh glab doctl",
      "npm run|npm exec|npm config|npm pkg|npm cache|npm version|pnpm run|pnpm exec|pnpm dlx|pnpm config",
      "yarn run|yarn dlx|yarn workspaces|bun run|bun x|bun pm|deno task|uv run|uv pip|uv tool|poetry run",
      "pipenv run|pipx run|bundle exec|cargo run|composer run|composer run-script|rails db|mix ecto",
      "git remote|git stash|git worktree|git submodule|git config|git bisect|git notes|git lfs|git flow",
      "docker compose|docker container|docker image|docker volume|docker network|docker system|docker buildx",
      "docker exec|docker run|podman compose|podman exec|podman run|kubectl config|kubectl rollout|kubectl exec",
      "helm repo|terraform workspace|terraform state|dotnet tool|nx run|turbo run|go mod|go tool|python -m",
      "python3 -m|rustup toolchain|rustup component|rustup target|nix flake|systemctl --user|swift package",
    ],
    4: [
      "pnpm --filter|yarn workspace|aws s3api|aws ec2|gcloud compute|gcloud container|az vm|docker compose exec",
    ],
  }).flatMap(([count, lines]) =>
    lines
      .flatMap((line) => line.split(line.includes("|") ? "|" : " "))
      .map((name): [string, number] => [name, Number(count)]),
  ),
);

/** Options that stand before what a command does, and that take the next word. */
const valued: Readonly<Record<string, RegExp>> = {
  git: /^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/,
  npm: /^(?:--prefix|-w|--workspace|-C)$/,
  pnpm: /^(?:-C|--dir|--filter|-F)$/,
  yarn: /^--cwd$/,
  cargo: /^(?:--manifest-path|-C|--color)$/,
  docker: /^(?:-H|--host|-c|--context|--config)$/,
  "docker compose": /^(?:-f|--file|-p|--project-name|--profile)$/,
  kubectl: /^(?:-n|--namespace|--context|--kubeconfig|-l)$/,
  make: /^(?:-C|-f|-j)$/,
};

/** They change what the commands after them do, so only the very same one is allowed for good. */
const exactly = new Set([
  "export",
  "declare",
  "typeset",
  "readonly",
  "local",
  "set",
  "shopt",
  "umask",
]);

/**
 * What "always" allows: the words that say what a command does, and anything after them; null when nothing
 * short of everything could be said.
 */
export function alwaysPattern(command: SeenCommand): string | null {
  const { words, text, assignments } = command;
  const exact = isPlain(text) ? text : null;
  if (words.length === 0 || exactly.has(words[0] ?? "")) return exact;
  const count = meaningfulWords(words);
  if (count === null) return exact;
  const prefix = [...assignments, ...words.slice(0, count)];
  if (!prefix.every(isPlain) || prefix.some((word) => /\s/.test(word))) return null;
  return `${prefix.join(" ")} *`;
}

/** How many of the words say what it does; null when there are fewer, or options hide it. */
function meaningfulWords(words: readonly string[]): number | null {
  let named = words[0] ?? "";
  let arity = arities.get(named) ?? 1;
  let counted = 1;
  let at = 1;
  while (counted < arity && at < words.length) {
    const word = words[at] ?? "";
    const isName = arities.has(`${named} ${word}`);
    if (word.startsWith("-") && !isName) {
      if (!isValued(named, word)) return null;
      at += 2;
      continue;
    }
    named += ` ${word}`;
    arity = Math.max(arity, arities.get(named) ?? 1);
    counted += 1;
    at += 1;
  }
  return counted < arity || at > words.length ? null : at;
}

function isValued(named: string, word: string): boolean {
  const options = Object.hasOwn(valued, named) ? valued[named] : undefined;
  return options?.test(word) ?? false;
}

/** A sign that means more in a rule than in a command can't be written there. */
function isPlain(text: string): boolean {
  return !/[*?]/.test(text);
}
