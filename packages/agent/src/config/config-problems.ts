/** Collects the parts of the configuration that were dropped. Each line names the location and what to do. */
export class Problems {
  readonly #lines = new Set<string>();

  add(where: { file: string; line?: number | undefined }, what: string): void {
    const place = where.line === undefined ? where.file : `${where.file}:${where.line}`;
    this.#lines.add(`${place}: ${what}`);
  }

  get lines(): string[] {
    return [...this.#lines];
  }
}
