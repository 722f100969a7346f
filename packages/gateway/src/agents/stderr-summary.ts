const LENGTH = 300;
const LOOKS_LIKE_AN_ERROR = /error:|ENOENT|not found|Cannot find/i;
/** Lines that Node prints around an error: stack frames, fields, its version. */
const AROUND_AN_ERROR =
  /^(?:at .*|(?:code|errno|syscall|path|dest|spawnargs|requireStack): .*|[{}[\](),^~]*|Node\.js v[\d.]+.*)$/;

/** Returns the last line of stderr that looks like an error, or else the last line. */
export function stderrSummary(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !AROUND_AN_ERROR.test(line));
  const line = lines.findLast((one) => LOOKS_LIKE_AN_ERROR.test(one)) ?? lines.at(-1) ?? "";
  return line.slice(0, LENGTH);
}
