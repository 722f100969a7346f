import { clsx } from "clsx";
import type { List, ListItem, RootContent } from "mdast";
import type { ComponentType } from "react";
import { nodeKey } from "./node-key.ts";
import { plainText } from "./plain-text.ts";

/** Passed as a prop, because blocks contain lists and lists contain blocks. */
export type DrawBlocks = ComponentType<{
  readonly of: ListItem;
  readonly isTight?: boolean;
}>;

export interface MarkdownListProps {
  readonly node: List;
  readonly draw: DrawBlocks;
}

export function MarkdownList({ node, draw }: MarkdownListProps) {
  const isLoose = node.children.some(isSpread);
  const look = clsx("flex flex-col", isLoose ? "gap-3" : "gap-1");
  const items = node.children.map((item) => (
    <MarkdownItem key={nodeKey(node, item)} item={item} draw={draw} isTight={!isLoose} />
  ));
  if (!node.ordered) {
    // A list without markers loses its role in some browsers.
    return <ul className={clsx(look, "list-disc pl-5")}>{items}</ul>;
  }
  const start = node.start ?? 1;
  const digits = `${start + node.children.length - 1}`.length;
  return (
    <ol
      start={start}
      className={clsx(look, "list-decimal")}
      style={{ paddingInlineStart: `${digits + 1.5}ch` }}
    >
      {items}
    </ol>
  );
}

interface MarkdownItemProps {
  readonly item: ListItem;
  readonly draw: DrawBlocks;
  readonly isTight: boolean;
}

function MarkdownItem({ item, draw: Draw, isTight }: MarkdownItemProps) {
  if (typeof item.checked !== "boolean") {
    return (
      <li className="pl-1 marker:text-soft">
        <Draw of={item} isTight={isTight} />
      </li>
    );
  }
  return (
    <li className="-ml-5 flex list-none gap-2">
      <input
        type="checkbox"
        checked={item.checked}
        readOnly
        disabled
        aria-label={plainText(item) || "Task"}
        className="mt-1.5 size-3.5 shrink-0 accent-(--accent)"
      />
      <div className="min-w-0 grow">
        <Draw of={item} isTight={isTight} />
      </div>
    </li>
  );
}

function isSpread(item: ListItem): boolean {
  const kinds: readonly RootContent[] = item.children;
  return item.spread === true && kinds.length > 1;
}
