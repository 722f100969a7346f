/** One setting of a git configuration file. Section and key are in lower case. */
export interface GitSetting {
  readonly section: string;
  /** Of `[remote "origin"]` or `[remote.origin]`; null when there is none. */
  readonly subsection: string | null;
  readonly key: string;
  /** Null: only the key is written, which means true. */
  readonly value: string | null;
}

/** Parses git's configuration syntax. Null if git would reject the file or parse it differently. */
export function parseGitConfig(text: string): GitSetting[] | null {
  try {
    return new ConfigReader(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")).read();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Splits a name as `git -c` accepts it: `remote.origin.url`. Null if it is invalid. */
export function settingNamed(name: string, value: string | null): GitSetting | null {
  const [, section, subsection, key] = /^([^.]+)\.(?:(.*)\.)?([^.]+)$/su.exec(name) ?? [];
  if (section === undefined || key === undefined) return null;
  return {
    section: section.toLowerCase(),
    subsection: subsection ?? null,
    key: key.toLowerCase(),
    value,
  };
}

class ConfigReader {
  readonly #text: string;
  readonly #settings: GitSetting[] = [];
  #at = 0;
  #section: Pick<GitSetting, "section" | "subsection"> | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): GitSetting[] {
    while (this.#at < this.#text.length) {
      if (this.#take(/\s+/y) ?? this.#take(/[#;][^\n]*/y)) continue;
      if (this.#text[this.#at] === "[") this.#readSection();
      else this.#readSetting();
    }
    return this.#settings;
  }

  #readSection(): void {
    const [, name, quoted] =
      this.#take(/\[([A-Za-z\d.-]+)(?:[ \t]+"((?:\\[^\n]|[^"\\\n])*)")?\]/y) ?? fail();
    const [first = "", ...others] = (name ?? "").toLowerCase().split(".");
    const written = quoted?.replaceAll(/\\(.)/g, "$1");
    const parts = written === undefined ? others : [...others, written];
    this.#section = { section: first, subsection: parts.length === 0 ? null : parts.join(".") };
  }

  #readSetting(): void {
    const [, key = ""] = this.#take(/([A-Za-z][A-Za-z\d-]*)[ \t]*/y) ?? fail();
    const value = this.#take(/=[ \t]*/y) ? this.#readValue() : null;
    if (value === null && this.#at < this.#text.length && !this.#take(/\n/y)) fail();
    if (this.#section === null) fail();
    else this.#settings.push({ ...this.#section, key: key.toLowerCase(), value });
  }

  #readValue(): string {
    let value = "";
    let kept = 0;
    for (let isQuoted = false; ;) {
      const character = this.#text[this.#at];
      this.#at += 1;
      if (character === undefined || character === "\n") {
        if (isQuoted) fail();
        return value.slice(0, kept);
      }
      if (!isQuoted && /[#;]/.test(character)) {
        this.#take(/[^\n]*/y);
        continue;
      }
      if (character === '"') isQuoted = !isQuoted;
      else value += character === "\\" ? this.#readEscape() : character;
      if (isQuoted || !/\s/.test(character)) kept = value.length;
    }
  }

  #readEscape(): string {
    const character = this.#text[this.#at] ?? "";
    this.#at += 1;
    return escapes.get(character) ?? fail();
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match && match[0] !== "" ? match : null;
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ['"', '"'],
  ["\\", "\\"],
  ["n", "\n"],
  ["t", "\t"],
  ["b", "\b"],
]);

function fail(): never {
  throw new SyntaxError("This is not git's configuration syntax.");
}
