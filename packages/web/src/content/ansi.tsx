import "./code.css";
import type Anser from "anser";
import { clsx } from "clsx";
import { memo, useEffect, useMemo, useState, type CSSProperties } from "react";
import { colourOf, hasCodes, withoutCodes, withoutTitles } from "./ansi-text.ts";
import { withIndex } from "./with-index.ts";
import { VisibleText } from "./visible-text.tsx";

type AnserClass = typeof Anser;

let loaded: AnserClass | null = null;

/** Terminal output in colours with enough contrast. */
export const Ansi = memo(function Ansi({ text }: { readonly text: string }) {
  const anser = useAnser(hasCodes(text));
  const entries = useMemo(
    () =>
      anser && hasCodes(text)
        ? anser.ansiToJson(withoutTitles(text), { use_classes: true, remove_empty: true })
        : null,
    [anser, text],
  );
  if (entries === null) return <VisibleText text={withoutCodes(text)} />;
  return withIndex(entries).map(({ index, value }) => (
    <span key={index} className={decorated(value)} style={coloured(value)}>
      <VisibleText text={value.content} />
    </span>
  ));
});

function useAnser(isWanted: boolean): AnserClass | null {
  const [anser, setAnser] = useState(() => loaded);
  useEffect(() => {
    if (!isWanted || anser) return undefined;
    let isOver = false;
    const load = async () => {
      const library = await import("anser");
      loaded = library.default;
      if (!isOver) setAnser(() => library.default);
    };
    // If the library can't be loaded, the text stays plain.
    load().catch(() => {});
    return () => {
      isOver = true;
    };
  }, [isWanted, anser]);
  return anser;
}

function decorated({ decorations }: Anser.AnserJsonEntry): string {
  return clsx(
    decorations.includes("bold") && "font-semibold",
    decorations.includes("dim") && "text-soft",
    decorations.includes("italic") && "italic",
    decorations.includes("underline") && "underline",
    decorations.includes("strikethrough") && "line-through",
  );
}

function coloured(entry: Anser.AnserJsonEntry): CSSProperties {
  const front = colourOf(entry.fg || null, entry.fg_truecolor || null);
  const back = entry.decorations.includes("reverse")
    ? (front ?? "white")
    : colourOf(entry.bg || null, entry.bg_truecolor || null);
  // On a coloured background the text has the default colour, so that it has enough contrast.
  if (back !== null) {
    return { backgroundColor: `color-mix(in oklab, var(--ansi-${back}) 22%, transparent)` };
  }
  return front === null ? {} : { color: `var(--ansi-${front})` };
}
