import type { Limits } from "@landline/protocol";

interface KnownTitles {
  readonly limits: Pick<Limits, "titleLength">;
  /** Those in the list that begin so; others do no harm. */
  readonly find: (beginning: string) => Promise<readonly (string | null)[]>;
}

/** A name that nobody else is given while it is held; those in the list have theirs anyway. */
export interface HeldTitle extends Disposable {
  readonly title: string | null;
}

const suffixLength = " (fork 999999999)".length;

/** In a list a fork stands beside what it was made from, and no two have the same name. A fork of a fork counts on. */
export class ForkTitles {
  readonly #known: KnownTitles;
  readonly #held = new Set<string>();

  constructor(known: KnownTitles) {
    this.#known = known;
  }

  /** `name`: what the list calls the one that is forked; null when it has no name at all. */
  async hold(name: string | null): Promise<HeldTitle> {
    if (name === null) return { title: null, [Symbol.dispose]: () => {} };
    const { base, number } = this.#read(name);
    const beginning = `${base} (fork`;
    const found = new Set(await this.#known.find(beginning));
    let next = number + 1;
    let title = titleOf(beginning, next);
    while (found.has(title) || this.#held.has(title)) title = titleOf(beginning, ++next);
    this.#held.add(title);
    return { title, [Symbol.dispose]: () => void this.#held.delete(title) };
  }

  #read(name: string): { readonly base: string; readonly number: number } {
    const line = name.toWellFormed().replaceAll(/\p{Cc}/gu, " ");
    const before = / \(fork(?: (?<number>[1-9]\d{0,8}))?\)$/.exec(line);
    const most = this.#known.limits.titleLength - suffixLength;
    const base = line.slice(0, before?.index).slice(0, most).toWellFormed();
    return { base, number: before ? Number(before.groups?.["number"] ?? 1) : 0 };
  }
}

function titleOf(beginning: string, number: number): string {
  return number === 1 ? `${beginning})` : `${beginning} ${number})`;
}
