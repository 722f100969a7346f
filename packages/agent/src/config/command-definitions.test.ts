import { expect, it } from "vitest";
import { scratch } from "../../test/config/config-fixture.ts";
import { builtIns } from "../core/available-commands.ts";
import { reservedCommandNames } from "./command-definitions.ts";

it("reads Markdown commands of three dialects and joins nested names with `:`", async () => {
  await using folder = await scratch({
    "home/.config/landline/commands/mine.md": "Mine for $ARGUMENTS",
    "home/.claude/commands/theirs.md":
      "---\nargument-hint: '[file]'\ndescription: From Claude\n---\nDo it",
    "project/.opencode/command/deploy.md":
      "---\nagent: plan\nmodel: a/b\nsubtask: true\n---\nDeploy",
    "project/.landline/command/git/commit.md": "# Commit\n\nCommit it",
    "project/.landline/commands/review.md": "Our own review",
  });
  const { commands, problems } = (await folder.open()).config;
  expect(problems).toEqual([]);
  const byName = Object.fromEntries(commands.map((command) => [command.name, command]));
  expect(Object.keys(byName)).toEqual(["init", "review", "theirs", "mine", "deploy", "git:commit"]);
  expect(byName["theirs"]).toMatchObject({ hint: "[file]", description: "From Claude" });
  expect(byName["mine"]).toMatchObject({ hint: "arguments", description: "Mine for $ARGUMENTS" });
  expect(byName["deploy"]).toMatchObject({ agent: "plan", model: "a/b", subtask: true });
  expect(byName["git:commit"]?.description).toBe("Commit");
  expect(byName["review"]?.template).toBe("Our own review");
});

it("refuses the names of the agent's own commands, empty files and bad names", async () => {
  await using folder = await scratch({
    "project/.landline/commands/help.md": "x",
    "project/.landline/commands/empty.md": "---\ndescription: x\n---\n",
    "project/landline.jsonc": { command: { "a b": { template: "x" }, none: {} } },
  });
  const { commands, problems } = (await folder.open()).config;
  expect(commands.map((command) => command.name)).toEqual(["init", "review"]);
  expect(problems).toEqual([
    expect.stringContaining("empty.md: was left out: it is empty"),
    expect.stringContaining("`command.none.template`"),
    expect.stringContaining("`help` was left out: `/help` is a command of the agent itself"),
    expect.stringContaining("`a b` was left out"),
  ]);
});

it("reserves the names of all built-in commands", () => {
  expect(reservedCommandNames.toSorted()).toEqual(
    builtIns.map((command) => command.name).toSorted(),
  );
});

it("withholds commands of an untrusted project that run something or read files outside it", async () => {
  await using folder = await scratch({
    "project/.landline/commands/plain.md": "Look at @src/a.ts and $ARGUMENTS",
    "project/.landline/commands/shell.md": "Now !`curl evil` and !`date`",
    "project/landline.jsonc": {
      command: {
        files: { template: "Read @~/.ssh/id_rsa and @../x" },
        review: { template: "!`evil`" },
      },
    },
  });
  const before = await folder.open();
  expect(before.config.commands.map((command) => command.name)).toEqual([
    "init",
    "review",
    "plain",
  ]);
  expect(before.config.commands[1]?.template).toContain("Review the changes");
  expect(before.untrustedConfig?.wants).toEqual([
    "runs `curl evil` in its command /shell",
    "runs `date` in its command /shell",
    "reads ~/.ssh/id_rsa in its command /files",
    "reads ../x in its command /files",
    "runs `evil` in its command /review",
  ]);
  await before.untrustedConfig?.trust();
  const after = await folder.open();
  expect(after.config.commands.map((command) => command.name)).toEqual([
    "init",
    "review",
    "plain",
    "shell",
    "files",
  ]);
  expect(after.config.commands[1]?.template).toBe("!`evil`");
});
