import { useEffect, useEffectEvent, useState } from "react";

/** Who takes what is dropped: a form that lies over another comes after it. */
const takers: symbol[] = [];

/** Files that are dropped anywhere on the page, for the form that lies on top. Returns whether some are held over it. */
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
      // Into no other element: out of the page.
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
