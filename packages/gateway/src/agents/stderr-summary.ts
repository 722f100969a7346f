const LENGTH = 300;
const LOOKS_LIKE_AN_ERROR = /error:|ENOENT|not found|Cannot find/i;
/** What Node prints around an error, and what says nothing without it: frames, fields, its version. */
const AROUND_AN_ERROR =
  /^(?:at .*|(?:code|errno|syscall|path|dest|spawnargs|requireStack): .*|[{}[\](),^~]*|Node\.js v[\d.]+.*)$/;

/** The line of stderr that says what went wrong: the last that looks like an error, or else the last. */
export function stderrSummary(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !AROUND_AN_ERROR.test(line));
  const line = lines.findLast((one) => LOOKS_LIKE_AN_ERROR.test(one)) ?? lines.at(-1) ?? "";
  return line.slice(0, LENGTH);
}
