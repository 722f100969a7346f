import type { Line } from "@landline/shell";
import { describe, expect, it } from "vitest";
import { factsOf, running } from "../../../test/permissions/corpus/any-call.ts";
import { keptRule } from "../../../test/permissions/corpus/any-rule.ts";
import { isAbout } from "./rule-match.ts";
import type { RuleDecision } from "./rule.ts";

async function matches(decision: RuleDecision, line: Line, commandPrefix: string) {
  return isAbout(keptRule({ decision, what: { commandPrefix } }), await factsOf(running(line)));
}

/** Commands that a rule to deny or ask must find. */
const found: readonly (readonly [Line, string])[] = [
  ["rm -rf /", "rm"],
  ["rm -rf /", "rm -rf"],
  ["/bin/rm -rf /", "rm -rf"],
  ["npm test; rm -rf /", "rm"],
  ["npm test && rm x", "rm"],
  ["npm test || rm x", "rm"],
  ["npm test | rm x", "rm"],
  ["npm test & rm x", "rm"],
  ["npm test\nrm x", "rm"],
  ["echo $(rm x)", "rm"],
  ['echo "$(rm x)"', "rm"],
  ["echo `rm x`", "rm"],
  ['echo "`rm x`"', "rm"],
  ["(rm x)", "rm"],
  ["{ rm x; }", "rm"],
  ["FOO=1 rm x", "rm"],
  ["FOO=1 BAR=2 rm x", "rm"],
  ["sudo rm x", "rm"],
  ["sudo -u root rm x", "rm"],
  ["env -i A=1 rm x", "rm"],
  ["xargs rm", "rm"],
  ["find . -exec rm {} +", "rm"],
  ["time rm x", "rm"],
  ["if true; then rm x; fi", "rm"],
  ["! rm x", "rm"],
  ["bash -c 'rm x'", "rm"],
  ['sh -c "cd /; rm x"', "rm"],
  ["bash -lc \"sh -c 'rm x'\"", "rm"],
  ["r'm' x", "rm"],
  ['"rm" x', "rm"],
  ["r\\m x", "rm"],
  ["> out rm x", "rm"],
  ["rm>out x", "rm"],
  ["2>&1 rm x", "rm"],
  ["git push --force origin", "git push --force"],
  ["cd x && git push --force", "git push"],
  ["rm 'unclosed", "rm"],
  ["$'rm' x", "rm"],
  ['$"rm" x', "rm"],
  ["git --bare push origin", "git push"],
  ["git --work-tree . push", "git push"],
  ["npm --foo publish", "npm publish"],
  ["cargo +nightly publish", "cargo publish"],
  ["kubectl --weird=x delete pod y", "kubectl delete pod"],
  ["git -C x push --force", "git push --force"],
  ["git $X", "git push"],
  ["git pu${X}sh", "git push"],
  ["git {push,}", "git push"],
  [["rm", "-rf", "/"], "rm -rf"],
  [["/bin/rm", "x"], "rm"],
  [["bash", "-c", "cd / && rm x"], "rm"],
  [["sudo", "rm", "x"], "rm"],
  // Words that only change how another command runs.
  ["timeout 5 ls", "timeout"],
  ["timeout 5 nice ls", "nice"],
  ["env ls", "env"],
  ["env A=1 ls", "env"],
  ["nice -n 5 ls", "nice"],
  ["command ls", "command"],
  ["nohup ls", "nohup"],
  ["bash -c ls", "bash"],
  ["bash -c ls", "bash -c"],
  ["ls && timeout 5 ls", "timeout 5"],
  [["timeout", "5", "ls"], "timeout"],
  ["timeout 5 rm x", "rm"],
];

const notFound: readonly (readonly [Line, string])[] = [
  ["git rm x", "rm"],
  ["echo rm", "rm"],
  ["rmdir x", "rm"],
  ["npm test", "rm"],
  ["git commit -m 'rm the old files'", "rm"],
  ["git push", "git push --force"],
  ["ls > rm", "rm"],
  ["FOO=rm", "rm"],
  ["", "rm"],
  [["echo", "rm x"], "rm"],
  [[], "rm"],
  ["git log push", "git push"],
  ["git -C push log", "git push"],
  ["npm $X", "git push"],
  ["$X push", "git push"],
  ["ls timeout", "timeout"],
  ["timeout 5 ls", "timeout 6"],
];

describe("a rule that denies", () => {
  it.each(found)("finds in %j the command %j", async (line, prefix) => {
    expect(await matches("deny", line, prefix)).toBe(true);
  });

  it.each(notFound)("does not find in %j the command %j", async (line, prefix) => {
    expect(await matches("deny", line, prefix)).toBe(false);
  });
});

const covered: readonly (readonly [Line, string])[] = [
  ["npm test", "npm test"],
  ["npm  test -- --reporter=dot", "npm test"],
  ["npm 'test' 2>&1", "npm test"],
  ["npm test > /dev/null", "npm test"],
  ["(npm test)", "npm test"],
  ["time npm test", "npm test"],
  ["cd src && npm test", "npm test"],
  ["npm test | tail -20", "npm test"],
  ["npm test || true", "npm test"],
  ["npm test # rm -rf /", "npm test"],
  ["git commit -m 'fix: a > b; c'", "git commit"],
  [["git", "add", "src/a.ts"], "git add"],
  ["./run.sh --all", "./run.sh"],
  ["timeout 60 npm test", "npm test"],
];

const uncovered: readonly (readonly [Line, string])[] = [
  ["npm tests", "npm test"],
  ["npm", "npm test"],
  ["npm test; rm -rf build", "npm test"],
  ["npm test && rm -rf build", "npm test"],
  ["npm test & rm -rf build", "npm test"],
  ["npm test | sh", "npm test"],
  ["npm test $(rm -rf build)", "npm test"],
  ["npm test `rm -rf build`", "npm test"],
  ["npm test $X", "npm test"],
  ["npm test\nrm -rf build", "npm test"],
  ["npm test > out.txt", "npm test"],
  ["npm test >> out.txt", "npm test"],
  ["npm test <(rm -rf build)", "npm test"],
  ["PATH=/tmp:$PATH npm test", "npm test"],
  ["LD_PRELOAD=/tmp/x.so npm test", "npm test"],
  ["sudo npm test", "npm test"],
  ["/tmp/npm test", "npm test"],
  ["npm 'test", "npm test"],
  ["npm test\u2028rm", "npm test"],
  ["'npm test'", "npm test"],
  ["npm test --prefix /elsewhere", "npm test"],
  ["npm --prefix sub test", "npm test"],
  ["npm test -C sub", "npm test"],
  ["npm test --script-shell=./x", "npm test"],
  ["npm test --userconfig=x", "npm test"],
  ["git log --output=x", "git log"],
  ["git -c core.pager=x log", "git log"],
  ["git -C sub log", "git log"],
  ["git diff --ext-diff", "git diff"],
  ["cargo build --manifest-path other/Cargo.toml", "cargo build"],
  ["cargo build --config x.toml", "cargo build"],
  ["go test -exec ./x ./...", "go test"],
  ["rg --pre ./x y", "rg y"],
];

describe("a rule that allows", () => {
  it.each(covered)("covers %j by %j", async (line, prefix) => {
    expect(await matches("allow", line, prefix)).toBe(true);
  });

  it.each(uncovered)("does not cover %j by %j", async (line, prefix) => {
    expect(await matches("allow", line, prefix)).toBe(false);
  });
});
