import type { Limits } from "@landline/protocol";

interface KnownTitles {
  readonly limits: Pick<Limits, "titleLength">;
  /** Returns titles with this prefix. It may return others. */
  readonly find: (beginning: string) => Promise<readonly (string | null)[]>;
}

/** A title that no other fork gets while it is held. Afterwards, the list contains it. */
export interface ReservedTitle extends Disposable {
  readonly title: string | null;
}

const suffixLength = " (fork 999999999)".length;

/** Gives each fork a unique title: "name (fork 2)". A fork of a fork continues the numbering. */
export class ForkTitles {
  readonly #known: KnownTitles;
  readonly #held = new Set<string>();

  constructor(known: KnownTitles) {
    this.#known = known;
  }

  /** `name`: the title of the original in lists; null if it has none. */
  async hold(name: string | null): Promise<ReservedTitle> {
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
