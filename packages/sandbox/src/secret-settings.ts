import { readFile } from "node:fs/promises";

/** Settings that contain passwords for some users only. Their tools fail if they cannot read them. */
const settings = /\/(?:\.gradle\/gradle\.properties|nuget\.config)$/i;

/**
 * A name or attribute with a value (`mavenPassword=x`, `key="ClearTextPassword" value="x"`), or a URL with a password.
 */
const secret =
  /(?:token|passw(?:or)?d|passphrase|secret|api_?key)["']?\s*(?:[=:]|value=)\s*\S|<apikeys>|:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** The paths without settings that contain no secret. */
export async function withSecrets(paths: readonly string[]): Promise<string[]> {
  const isKept = await Promise.all(
    paths.map(async (path) => !settings.test(path) || holdsSecret(path)),
  );
  return paths.filter((_, index) => isKept[index]);
}

function holdsSecret(path: string): Promise<boolean> {
  return readFile(path, "utf8").then(
    (text) => secret.test(text),
    () => true,
  );
}
