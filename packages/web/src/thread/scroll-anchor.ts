/**
 * Keeps the visible content in place. At the end it stays at the end; elsewhere the top visible row keeps its
 * position when rows above it are added or change their height. Nothing is animated.
 */
export class ScrollAnchor {
  readonly #scroller: HTMLElement;
  /** The parent of the rows. */
  readonly #content: HTMLElement;
  /** Called when the end is reached or left. Initially the thread is at its end. */
  readonly #onEnd: (isAtEnd: boolean) => void;
  readonly #observer: ResizeObserver;
  #isAtEnd = true;
  #toldEnd = true;
  #top = 0;
  #anchor: { readonly element: Element; readonly top: number } | null = null;

  constructor(scroller: HTMLElement, content: HTMLElement, onEnd: (isAtEnd: boolean) => void) {
    this.#scroller = scroller;
    this.#content = content;
    this.#onEnd = onEnd;
    this.#observer = new ResizeObserver(() => this.#settle());
    this.#observer.observe(scroller);
    this.#observer.observe(content);
    scroller.addEventListener("scroll", this.#scrolled, { passive: true });
    content.addEventListener("click", this.#clicked, { capture: true });
    this.toEnd();
  }

  close(): void {
    this.#observer.disconnect();
    this.#scroller.removeEventListener("scroll", this.#scrolled);
    this.#content.removeEventListener("click", this.#clicked, { capture: true });
  }

  toEnd(): void {
    this.#setAtEnd(true);
    this.#settle();
  }

  leaveEnd(): void {
    this.#setAtEnd(false);
    this.#anchor = this.#findAnchor();
  }

  /** Scrolls a row into the upper part of the viewport. */
  toRow(row: Element): void {
    this.#setAtEnd(false);
    const third = this.#scroller.clientHeight / 4;
    this.#scroller.scrollTop += this.#topOf(row) - third;
    this.#top = this.#scroller.scrollTop;
    this.#anchor = { element: row, top: this.#topOf(row) };
  }

  /** Restores the position after a size change. */
  #settle(): void {
    if (this.#isAtEnd) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#top = this.#scroller.scrollTop;
      return;
    }
    if (!this.#anchor?.element.isConnected) {
      this.#anchor = this.#findAnchor();
      return;
    }
    const moved = this.#topOf(this.#anchor.element) - this.#anchor.top;
    if (Math.abs(moved) >= 1) this.#scroller.scrollTop += moved;
    this.#top = this.#scroller.scrollTop;
  }

  readonly #scrolled = () => {
    const top = this.#scroller.scrollTop;
    if (this.#isNearEnd()) this.#setAtEnd(true);
    // Added rows increase the distance to the end without any scrolling by the person.
    else if (top < this.#top - 1) this.#setAtEnd(false);
    this.#top = top;
    this.#anchor = this.#isAtEnd ? null : this.#findAnchor();
  };

  /** Something that the person opens stays in place, even at the end. */
  readonly #clicked = (event: Event) => {
    const { target } = event;
    if (!this.#isAtEnd || !(target instanceof Element)) return;
    if (target.closest("[aria-expanded]") === null) return;
    const row = this.#rowOf(target);
    if (row === null) return;
    this.#isAtEnd = false;
    this.#anchor = { element: row, top: this.#topOf(row) };
    setTimeout(() => this.#setAtEnd(this.#isNearEnd()), openingMs);
  };

  #isNearEnd(): boolean {
    const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop < nearPixels;
  }

  #setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
    if (this.#toldEnd === isAtEnd) return;
    this.#toldEnd = isAtEnd;
    this.#onEnd(isAtEnd);
  }

  #topOf(element: Element): number {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }

  #rowOf(element: Element): Element | null {
    let row: Element | null = element;
    while (row !== null && row.parentElement !== this.#content) row = row.parentElement;
    return row;
  }

  /** Binary search for the first visible row. */
  #findAnchor(): { readonly element: Element; readonly top: number } | null {
    const rows = this.#content.children;
    const edge = this.#scroller.getBoundingClientRect().top;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) <= edge) low = middle + 1;
      else high = middle;
    }
    const element = rows[low];
    return element ? { element, top: this.#topOf(element) } : null;
  }
}

const nearPixels = 24;
/** How long an opened element may take to get its size. */
const openingMs = 300;
