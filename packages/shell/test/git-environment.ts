/** An environment for git without the settings and the repository of the machine that runs the tests. */
export function gitEnvironment(home: string): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("GIT_") || value === undefined ? [] : [[name, value]],
  );
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
}
