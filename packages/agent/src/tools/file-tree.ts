interface Folder {
  folders: Map<string, Folder>;
  files: string[];
  /** Files including subfolders. */
  count: number;
  isOpen: boolean;
}

/**
 * Renders paths as a tree with a limited number of lines. Folders are expanded level by level while they fit,
 * so that breadth comes before depth.
 */
export function fileTree(paths: readonly string[], linesMax: number): string {
  const root = newFolder();
  for (const path of paths) add(root, path);
  root.isOpen = true;
  let room = linesMax - entriesOf(root);
  let level = [...root.folders.values()];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (const folder of level) {
      if (entriesOf(folder) > room) continue;
      folder.isOpen = true;
      room -= entriesOf(folder);
      next.push(...folder.folders.values());
    }
    level = next;
  }
  const lines = drawn(root, "  ");
  if (lines.length <= linesMax) return lines.join("\n");
  const more = lines.length - linesMax;
  return `${lines.slice(0, linesMax).join("\n")}\n  … and ${more} more`;
}

function newFolder(): Folder {
  return { folders: new Map(), files: [], count: 0, isOpen: false };
}

function add(root: Folder, path: string): void {
  const names = path.split("/");
  const file = names.pop();
  let folder = root;
  folder.count += 1;
  for (const name of names) {
    const inner = folder.folders.get(name) ?? newFolder();
    folder.folders.set(name, inner);
    inner.count += 1;
    folder = inner;
  }
  if (file !== undefined) folder.files.push(file);
}

function entriesOf(folder: Folder): number {
  return folder.folders.size + folder.files.length;
}

const byName = (one: string, other: string): number => (one < other ? -1 : 1);

function drawn(folder: Folder, indent: string): string[] {
  const lines: string[] = [];
  for (const name of [...folder.folders.keys()].sort(byName)) {
    const inner = folder.folders.get(name) ?? newFolder();
    const files = inner.count === 1 ? "1 file" : `${inner.count} files`;
    lines.push(`${indent}${name}/${inner.isOpen ? "" : ` (${files})`}`);
    if (inner.isOpen) lines.push(...drawn(inner, `${indent}  `));
  }
  for (const name of folder.files.toSorted(byName)) lines.push(indent + name);
  return lines;
}
