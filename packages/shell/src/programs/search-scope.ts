import type { SearchScope } from "../line-facts.ts";
import type { ParsedArguments } from "../arguments/program-spec.ts";

export const everything: SearchScope = {
  hidden: true,
  ignored: true,
  links: false,
  excludes: [],
  includes: [],
};

/** The same for a program that follows links. */
export const everythingLinked: SearchScope = { ...everything, links: true };

/** The file names in a glob of ripgrep, without folders; braces become several globs. */
function namesIn(glob: string): string[] {
  // Empty lines and comments exclude nothing.
  if (/^(?:#|$)/.test(glob)) return ["*"];
  return (withoutBraces(glob) ?? ["*"]).map((one) => {
    // A slash in a set or after a backslash may not be a separator.
    if (/[[\\].*\//s.test(one)) return "*";
    const name = one.replace(/\/$/, "").replace(/^.*\//su, "");
    return name === "" || name === "**" ? "*" : name;
  });
}

const globsMax = 32;

/** Null if there are too many, or if programs interpret the braces differently. */
function withoutBraces(glob: string): string[] | null {
  const pending = [glob];
  const done: string[] = [];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const text = one;
    const [group, inner = ""] = choices.exec(text) ?? [];
    if (group === undefined) done.push(text);
    else if (/[[\\]/.test(glob) || inner.split(",").includes("")) return null;
    else pending.push(...inner.split(",").map((choice) => text.replace(group, () => choice)));
    if (pending.length + done.length > globsMax) return null;
  }
  return done;
}

const choices = /\{([^{}]*,[^{}]*)\}/;

/**
 * GNU grep: the last matching `--include` or `--exclude` wins. A file that matches none is excluded only if the first
 * of them is `--include`.
 */
export function grepScope(parsed: ParsedArguments): SearchScope {
  const filters = parsed.options.filter(({ name }) => /^--(?:include|exclude)/.test(name));
  const files = filters.filter(({ name }) => name !== "--exclude-dir");
  const lastInclude = files.findLastIndex(({ name }) => name === "--include");
  const isLimited = files[0]?.name === "--include";
  const valuesOf = (options: typeof files, name: string) =>
    options.flatMap((option) => (option.name === name && option.value ? [option.value.text] : []));
  return {
    ...everything,
    links: parsed.has("-R", "--dereference-recursive", "-S"),
    // Braces are literal.
    includes: isLimited
      ? valuesOf(files, "--include").map((glob) => glob.replaceAll(/[{}]/g, "?"))
      : [],
    excludedFiles: valuesOf(files.slice(lastInclude + 1), "--exclude"),
    excludedFolders: parsed.values("--exclude-dir").filter((glob) => !glob.includes("/")),
  };
}

/** File types of ripgrep with their name suffixes. Other types are unknown. */
const endings: Readonly<Record<string, string>> = {
  c: "c h cats c.in h.in",
  cpp: "c h cpp cc cxx hpp hh hxx inl c.in h.in cpp.in cc.in cxx.in hpp.in hh.in hxx.in",
  cs: "cs",
  css: "css scss",
  dart: "dart",
  elixir: "ex exs eex heex leex livemd",
  go: "go",
  html: "htm html ejs",
  java: "java jsp jspx properties",
  js: "js jsx vue cjs mjs",
  json: "json composer.lock sarif",
  kotlin: "kt kts",
  less: "less",
  lua: "lua",
  markdown: "markdown md mdown mdwn mkd mkdn mdx",
  md: "markdown md mdown mdwn mkd mkdn mdx",
  perl: "perl pl PL plh plx pm t",
  php: "php php3 php4 php5 php7 php8 phtml",
  proto: "proto",
  py: "py pyi",
  rust: "rs",
  sass: "sass scss",
  scala: "scala sbt",
  sql: "sql psql",
  svelte: "svelte",
  swift: "swift",
  toml: "toml Cargo.lock",
  ts: "ts tsx cts mts",
  typescript: "ts tsx cts mts",
  txt: "txt",
  vue: "vue",
  xml: "xml xml.dist dtd xsd xsl xslt xjb rng sch xhtml",
  yaml: "yaml yml",
  zig: "zig zon",
};

function namesOfType(type: string, parsed: ParsedArguments): string[] {
  // Versions of ripgrep differ in these lists, and any name may be a link.
  const isListed = Object.hasOwn(endings, type) && !parsed.has("--type-add", "-L", "--follow");
  return isListed ? (endings[type] ?? "").split(" ").map(nameOf) : ["*"];
}

const nameOf = (ending: string): string => (ending.endsWith(".lock") ? ending : `*.${ending}`);

/** Otherwise the first operand is the pattern. */
export const hasPattern = (parsed: ParsedArguments): boolean =>
  parsed.has("-e", "--regexp", "-f", "--file", "--files");

/** ripgrep excludes hidden and ignored files, except those that a glob or a type names. The last matching glob wins. */
export function ripgrepScope(parsed: ParsedArguments): SearchScope {
  const globs = parsed.options.flatMap(({ name, value }) =>
    // Trailing spaces are ignored.
    /^(?:-g|--glob|--iglob)$/.test(name) && value ? [value.text.replace(/[ \t-\r]+$/, "")] : [],
  );
  const lastInclude = globs.findLastIndex((glob) => !glob.startsWith("!"));
  const includes = globs.filter((glob) => !glob.startsWith("!")).flatMap(namesIn);
  const types = parsed.values("-t", "--type").flatMap((type) => namesOfType(type, parsed));
  const searched = parsed.operands.slice(hasPattern(parsed) ? 0 : 1);
  const isHere = searched.every(({ text, isFolder }) => text === "." && !isFolder);
  const excludes = globs
    .slice(lastInclude + 1)
    .flatMap((glob) => withoutBraces(glob.slice(1)) ?? []);
  const unrestricted = parsed.options.filter(({ name }) => /^(?:-u|--unrestricted)$/.test(name));
  return {
    // An ignore file may include hidden files again.
    hidden: parsed.has("--hidden", "-.", "--ignore-file") || unrestricted.length > 1,
    ignored: unrestricted.length > 0 || parsed.options.some(({ name }) => isNoIgnore(name)),
    links: parsed.has("-L", "--follow"),
    includes: includes.length > 0 ? includes : types,
    includesWin: includes.length > 0 || types.length > 0,
    excludes: excludes.filter((glob) => !glob.includes("/")),
    excludedFolders: excludes.flatMap((glob) => excludedFolder(glob, isHere) ?? []),
  };
}

const isNoIgnore = (name: string): boolean =>
  name.startsWith("--no-ignore") && name !== "--no-ignore-messages";

// `name/`, `**/name/**` and, from the folder that is searched, `name/**`.
function excludedFolder(glob: string, isHere: boolean): string | null {
  const [, any, name, rest] = /^(\*\*\/)?([^/]+)\/(\*\*)?$/.exec(glob) ?? [];
  if (name === undefined) return null;
  if (any !== undefined || rest === undefined) return name;
  return isHere ? `./${name}` : null;
}
