/** The highlighted languages by the names that fences and files use. */
const names = {
  bash: ["sh", "shell", "zsh", "shellscript", "console", "shellsession", "ksh"],
  bat: ["cmd", "batch"],
  c: ["h"],
  clojure: ["clj", "cljs", "edn"],
  cpp: ["c++", "cc", "cxx", "hpp", "hh"],
  csharp: ["c#", "cs"],
  css: [],
  dart: [],
  diff: ["patch"],
  docker: ["dockerfile", "containerfile"],
  elixir: ["ex", "exs"],
  go: ["golang"],
  graphql: ["gql"],
  haskell: ["hs"],
  html: ["htm", "xhtml"],
  ini: ["properties", "conf", "cfg", "editorconfig"],
  java: [],
  javascript: ["js", "mjs", "cjs", "node"],
  json: ["json5", "ndjson", "jsonl", "webmanifest"],
  jsonc: [],
  jsx: [],
  kotlin: ["kt", "kts"],
  lua: [],
  make: ["makefile", "mk"],
  markdown: ["md", "mdx"],
  nginx: [],
  nix: [],
  perl: ["pl", "pm"],
  php: [],
  powershell: ["ps1", "pwsh", "ps"],
  proto: ["protobuf"],
  python: ["py", "python3", "pyi", "py3"],
  r: [],
  ruby: ["rb", "rake", "gemspec"],
  rust: ["rs"],
  scala: ["sbt"],
  scss: ["sass"],
  sql: ["postgres", "postgresql", "mysql", "sqlite"],
  svelte: [],
  swift: [],
  terraform: ["tf", "hcl", "tfvars"],
  toml: [],
  tsx: [],
  typescript: ["ts", "mts", "cts"],
  vue: [],
  xml: ["svg", "xsd", "plist", "xsl"],
  yaml: ["yml"],
  zig: [],
} as const;

export type Language = keyof typeof names;

const known = new Map<string, Language>(
  (Object.keys(names) as Language[]).flatMap((language) =>
    [language, ...names[language]].map((name) => [name, language] as const),
  ),
);

/** The language of a fence ("ts", "language-ts", "ts {1,3}"); null if it is not supported. */
export function languageOf(name: string | null | undefined): Language | null {
  const [word = ""] = (name ?? "").toLowerCase().split(/[\s,{:]/u);
  return known.get(word.replace(/^(?:language-|lang-|\.)/u, "")) ?? null;
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): Language | null {
  const file = path.split(/[/\\]/u).at(-1)?.toLowerCase() ?? "";
  const ending = file.includes(".") ? file.slice(file.lastIndexOf(".") + 1) : file;
  return known.get(file) ?? known.get(ending) ?? null;
}
