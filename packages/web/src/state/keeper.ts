import { useEffect, useMemo } from "react";
import type { Shelf } from "./shelf.ts";

const keptAfterMs = 300;

/** One value of a shelf while it is written: kept a moment after it was, or at once when it is left. */
export class Keeper<Value> {
  readonly #shelf: Shelf<Value>;
  readonly #id: string;
  #latest: Value;
  #isKept = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(shelf: Shelf<Value>, id: string) {
    this.#shelf = shelf;
    this.#id = id;
    this.#latest = shelf.read(id);
  }

  read(): Value {
    return this.#latest;
  }

  write(value: Value): void {
    this.#latest = value;
    this.#isKept = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keepNow(), keptAfterMs);
  }

  keepNow(): void {
    clearTimeout(this.#timer);
    if (!this.#isKept) this.#shelf.keep(this.#id, this.#latest);
    this.#isKept = true;
  }
}

/** What is written, kept also when the page or what shows it is left. */
export function useKeeper<Value>(shelf: Shelf<Value>, id: string): Keeper<Value> {
  const keeper = useMemo(() => new Keeper(shelf, id), [shelf, id]);
  useEffect(() => {
    const keepNow = () => keeper.keepNow();
    addEventListener("pagehide", keepNow);
    return () => {
      removeEventListener("pagehide", keepNow);
      keepNow();
    };
  }, [keeper]);
  return keeper;
}
