import type { ToolCallItem } from "@landline/protocol";
import { callState } from "./call-state.ts";
import { toolSubject } from "./tool-subject.ts";

/** "Read 6 files", "Searched 3 times", "Read 2 files, searched once". */
export function toolGroupText(items: readonly ToolCallItem[]): string {
  const reads = items.filter(({ kind }) => kind === "read");
  const searches = items.filter(({ kind }) => kind === "search");
  const others = items.length - reads.length - searches.length;
  const isLive = items.some((item) => callState(item).isOpen);
  const parts: string[] = [];
  if (reads.length > 0) {
    const files = countFiles(reads);
    parts.push(`${isLive ? "reading" : "read"} ${files === 1 ? "1 file" : `${files} files`}`);
  }
  if (searches.length > 0) {
    parts.push(`${isLive ? "searching" : "searched"} ${times(searches.length)}`);
  }
  if (others > 0) parts.push(others === 1 ? "1 more call" : `${others} more calls`);
  const words = parts.join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function countFiles(items: readonly ToolCallItem[]): number {
  const paths = new Set<string>();
  for (const item of items) {
    const subject = toolSubject(item);
    const files = subject.type === "files" ? subject.files : [];
    for (const { path } of files) paths.add(path);
    if (files.length === 0) paths.add(item.key);
  }
  return paths.size;
}
