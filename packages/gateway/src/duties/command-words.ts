import { programName, runsAnything } from "./any-command.ts";
import { isReckless } from "./command-harm.ts";

/**
 * The words of a command that say what it does: `npm test`, `git remote add`, `pytest`. Null where they would
 * say too little: options stand before them, or the program does whatever its arguments say.
 */
export function tellingWords(words: readonly string[]): readonly string[] | null {
  const [first = "", second = ""] = words;
  const name = programName(first);
  if (isReckless(name)) return null;
  const count = three.has(`${name} ${second}`) ? 3 : two.has(name) ? 2 : 1;
  const telling = words.slice(0, count);
  if (telling.length < count || telling.slice(1).some((word) => word.startsWith("-"))) return null;
  return runsAnything(telling) ? null : telling;
}

/** Programs that do many things: the word behind their name says which. */
const two: ReadonlySet<string> = new Set(
  (
    "apt apt-get brew bun bundle cargo composer conda corepack dart dnf dotnet flutter gem gh git glab go gradle gradlew " +
    "helm hg just kubectl lerna mise mix mvn mvnw nix npm nx oc pacman pip pipenv pipx pnpm poetry prisma rails rake " +
    "rustup sbt stack svn swift systemctl task terraform tofu turbo uv vercel wrangler yarn zig aws az gcloud"
  ).split(" "),
);

/** And of those some do many things again. */
const three: ReadonlySet<string> = new Set(
  (
    "npm run|npm run-script|pnpm run|yarn run|yarn workspace|yarn workspaces|bun run|bun pm|composer run|cargo run|" +
    "git remote|git stash|git worktree|git notes|git lfs|go mod|helm repo|kubectl config|kubectl rollout|nx run|turbo run|" +
    "rails db|rustup toolchain|rustup component|rustup target|terraform workspace|terraform state|uv pip|swift package|" +
    "gh pr|gh issue|gh repo|gh run|gh release|gh api|gh workflow|gh auth|glab mr|glab issue|" +
    "aws s3|aws s3api|aws ec2|aws iam|aws lambda|az vm|gcloud compute|gcloud container"
  ).split("|"),
);
