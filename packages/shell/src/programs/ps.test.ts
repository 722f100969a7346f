import { expect, it } from "vitest";
import { summary } from "../../test/line-summary.ts";

it.each([
  "ps",
  "ps aux",
  "ps auxww",
  "ps axf",
  "ps axo pid,cmd",
  "ps -aux",
  "ps -ax",
  "ps -axo pid,comm",
  "ps -ef",
  "ps -efww",
  "ps -eLf",
  "ps -ef 12",
  "ps -Af --forest",
  "ps -eo pid,user:20,args --sort=-%mem",
  "ps -p 12 -o args=",
  "ps --ppid=1",
  "ps -u root",
  "ps -fu root",
  "ps -C node -o pid=",
  "ps --help",
])("%s shows processes", (line) => {
  expect(summary(line)).toBe("read-only");
});

it.each([
  "ps e",
  "ps eww",
  "ps auxe",
  "ps a e",
  "ps -E",
  "ps -axE",
  "ps -auxe",
  "ps -eo pid,environ",
  // Where a user does not exist or options conflict, the dash does not count.
  "ps -ef -ux",
  "ps -u xe",
  "ps -e -u nobody-here",
  "ps -e --user zz",
  "ps -ef u",
  "ps -ef -o pid",
  "ps -eLH",
])("%s may show the environment of processes", (line) => {
  expect(summary(line)).toMatch(/^environment/);
});

it.each(["ps -o pid= -p $PID", "ps -M", "ps --sort '$(id)'", "ps -o", "ps -Q x"])(
  "%s is not known",
  (line) => {
    expect(summary(line)).toContain("unknown");
  },
);
