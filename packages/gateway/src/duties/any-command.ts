/**
 * Whether a command that starts so can be made to run any other by what is written behind it. Names and
 * pairs that are known for it; a rule that allows one of them says so, and none is ever suggested.
 */
export function runsAnything(words: readonly string[]): boolean {
  const [first = ""] = words;
  const name = first.slice(first.lastIndexOf("/") + 1);
  if (anyCommand.has(name)) return true;
  const running = tasks.get(name);
  if (running === undefined) return false;
  const [task, ...rest] = words.slice(1);
  // Without a word that says what it does, everything that it can do is meant.
  if (task === undefined) return true;
  return task.startsWith("-")
    ? rest.every(isOption) || rest.some((word) => running.has(word))
    : running.has(task);
}

const isOption = (word: string): boolean => word.startsWith("-");

const listOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Programs whose arguments are commands, or programs in a language of their own. */
const anyCommand = listOf(
  "sudo doas su env command builtin exec eval nohup time timeout nice ionice setsid stdbuf xargs parallel find watch " +
    "source . sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd python python2 python3 pypy pypy3 node nodejs " +
    "deno tsx ts-node perl ruby php lua luajit Rscript R java jshell groovy scala osascript tclsh expect " +
    "npx pnpx bunx uvx ssh docker podman nerdctl make gmake awk gawk mawk nawk sed tar rsync gdb lldb strace ltrace " +
    "vi vim nvim ex ed emacs less more man script screen tmux at batch crontab chroot unshare nsenter busybox",
);

/** What one program can do that is running another. */
const tasks: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: "exec x explore",
    pnpm: "exec dlx",
    yarn: "exec dlx",
    bun: "x exec",
    uv: "run tool",
    pipx: "run runpip",
    poetry: "run shell",
    pipenv: "run shell",
    bundle: "exec",
    go: "run generate tool",
    mise: "exec x",
    nix: "run shell develop",
    kubectl: "exec run debug",
    oc: "exec run debug rsh",
    git: "config rebase bisect submodule filter-branch difftool mergetool",
  }).map(([name, running]) => [name, listOf(running)]),
);
