/**
 * Agents inherit the environment of this process: keys, proxies and settings of whoever runs the tests must not reach
 * them.
 */
const kept =
  /^(?:PATH|LANG|LC_\w+|TZ|TERM|TMPDIR|USER|LOGNAME|SHELL|NODE_ENV|VITEST\w*|TEST|MODE|DEV|PROD|SSR|BASE_URL)$/;

for (const name of Object.keys(process.env)) {
  if (!kept.test(name)) delete process.env[name];
}
