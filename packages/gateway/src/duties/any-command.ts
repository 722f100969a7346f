/**
 * Whether a command that starts so can be made to run any other by what is written behind it. Names and
 * pairs that are known for it; a rule that allows one of them says so, and none is ever suggested.
 */
export function runsAnything(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "");
  if (anyCommand.has(name)) return true;
  const running = tasks.get(name);
  if (running === undefined) return false;
  const [task, ...rest] = words.slice(1);
  // Without a word that says what it does, everything that it can do is meant.
  if (task === undefined) return true;
  return isOption(task)
    ? rest.every(isOption) || rest.some((word) => running.has(word))
    : running.has(task);
}

/**
 * Whether these words hand a command over to a program that otherwise does only what its name says: a rule that
 * allows how its command starts has not allowed that. Long options are known by their beginnings, too, as many
 * programs take them.
 */
export function handsOver(program: string, words: readonly string[]): boolean {
  const handing = handingOptions.get(programName(program));
  if (handing === undefined) return false;
  return words.some((word) => {
    const [option = ""] = word.split("=", 1);
    return handing.some((known) =>
      /^--./.test(option) ? known.startsWith(option) : known === option,
    );
  });
}

/** The same wherever it lies, in whichever version, and on disks that don't tell capitals apart. */
export function programName(word: string): string {
  const name = word.slice(word.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/\.(?:exe|cmd|bat|com|ps1)$/, "").replace(/(?<=[a-z])[-.\d]+$/, "");
}

const isOption = (word: string): boolean => word.startsWith("-");

const listOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Programs whose arguments are commands, or programs in a language of their own. */
const anyCommand = listOf(
  "sudo doas su runuser pkexec env command builtin exec eval trap coproc enable mapfile readarray nohup time " +
    "timeout nice ionice setsid stdbuf xargs parallel find fd fdfind watch watchexec entr nodemon flock taskset " +
    "chrt numactl setarch caffeinate unbuffer source . sh bash zsh dash ash ksh mksh fish csh tcsh nu elvish " +
    "xonsh pwsh powershell cmd wsl python pythonw pypy ipython node nodejs deno tsx ts-node vite-node babel-node " +
    "zx perl ruby irb php lua luajit rscript r java jshell groovy scala kotlin osascript tclsh wish expect julia " +
    "elixir iex erl escript ghc ghci runghc ocaml racket guile sbcl clojure clj bb octave gnuplot dc wscript " +
    "cscript mshta rundll npx pnpx bunx uvx nix-shell ssh mosh sshpass docker podman docker-compose " +
    "podman-compose nerdctl lxc make gmake cmake ninja awk gawk mawk nawk sed gsed tar gtar bsdtar zip rsync gdb " +
    "lldb strace ltrace perf valgrind hyperfine vi vim view vimdiff nvim ex ed emacs emacsclient nano less more " +
    "most man script screen tmux xterm at batch crontab systemd-run chroot unshare nsenter bwrap firejail " +
    "fakeroot proot busybox toybox hg psql mysql mariadb sqlite duckdb mongo mongosh split tcpdump run-parts " +
    "start-stop-daemon xvfb-run dbus-run-session dotenv cross-env concurrently tox nox ansible",
);

/** What one program can do that is running another. */
const tasks: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: "exec x explore init create innovate",
    pnpm: "exec dlx create node",
    yarn: "exec dlx create node",
    bun: "x exec create repl",
    corepack: "npm npx pnpm pnpx yarn yarnpkg",
    lerna: "exec",
    nx: "exec",
    uv: "run tool",
    pipx: "run runpip",
    poetry: "run shell",
    pipenv: "run shell",
    conda: "run",
    mamba: "run",
    micromamba: "run",
    coverage: "run",
    hatch: "run shell",
    pdm: "run",
    rye: "run",
    pixi: "run exec shell",
    bazel: "run",
    direnv: "exec",
    vagrant: "ssh",
    heroku: "run",
    railway: "run shell",
    doppler: "run",
    op: "run",
    "aws-vault": "exec",
    bundle: "exec console",
    gem: "exec",
    rails: "runner r console c",
    composer: "exec",
    mix: "run eval cmd do",
    dotnet: "exec fsi script",
    swift: "repl",
    go: "run generate tool",
    rustup: "run",
    stack: "exec eval script runghc ghc ghci",
    cabal: "exec repl",
    opam: "exec",
    mise: "exec x",
    nix: "run shell develop",
    kubectl: "exec run debug plugin",
    oc: "exec run debug rsh plugin",
    gh: "alias extension ext",
    git: "config rebase bisect submodule filter-branch difftool mergetool clone grep send-email instaweb",
  }).map(([name, running]) => [name, listOf(running)]),
);

const handingOptions: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    git: "--upload-pack --receive-pack --exec",
    rg: "--pre --hostname-bin",
    ag: "--pager",
    ack: "--pager",
    bat: "--pager",
    sort: "--compress-program",
    go: "-exec --exec -toolexec --toolexec -vettool --vettool",
    npm: "--script-shell --node-options",
    pnpm: "--script-shell --node-options",
    cargo: "--config",
    helm: "--post-renderer",
    gradle: "--init-script -I",
    gradlew: "--init-script -I",
  }).map(([name, options]) => [name, options.split(" ")]),
);
