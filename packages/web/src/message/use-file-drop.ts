import { useEffect, useEffectEvent, useState } from "react";

/** Forms that accept dropped files; the last one mounted is on top. */
const takers: symbol[] = [];

/**
 * Accepts files that are dropped anywhere on the page, for the topmost form. Returns whether files are dragged
 * over the page.
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    const taker = Symbol("taker");
    takers.push(taker);
    const isOnTop = () => takers.at(-1) === taker;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(isOnTop());
    };
    const leave = (event: DragEvent) => {
      // The pointer left the page.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || event.defaultPrevented || !isOnTop()) return;
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      takers.splice(takers.indexOf(taker), 1);
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}
