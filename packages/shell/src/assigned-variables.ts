/** Variables that only change the output of programs, not what they run or read. */
const harmless = new Set(
  (
    "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TERM COLORTERM CI DEBUG NODE_ENV " +
    "RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE " +
    "CGO_ENABLED GOOS GOARCH HUSKY FORCE_TTY VITEST_MAX_THREADS TSC_COMPILE_ON_ERROR DEBIAN_FRONTEND"
  ).split(" "),
);

/** Lower-case names that programs read, that the shell sets, or that zsh ties to variables such as `PATH`. */
const special =
  /proxy|^npm_|^(?:_|c?d?path|fpath|manpath|mailpath|module_path|argv|status|pipestatus|histchars|fignore|watch|psvar|prompt|options|commands|functions|parameters|modules|[gs]?aliases|nameddirs|userdirs|dirstack)$/;

/** Whether neither programs nor the shell use a variable of this name. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z_][a-z\d_]*$/.test(name) && !special.test(name);
}

/**
 * Whether setting a variable does not change what programs do. `isAlone`: no command follows, so it is a shell
 * variable, which programs do not see.
 */
export function isHarmlessVariable(name: string, value: string | null, isAlone: boolean): boolean {
  // Any other value would undo `harmlessEnvironment`.
  if (name === "GIT_OPTIONAL_LOCKS" || name === "GIT_TERMINAL_PROMPT") return value === "0";
  // A path names a file that every program loads.
  if (/^(?:LANG$|LC_[A-Z]+$)/.test(name)) return !value?.includes("/");
  if (name === "TZ") return !/^:|^\/|\.\./.test(value ?? "");
  if (harmless.has(name)) return true;
  return isAlone && isOwnVariable(name);
}
