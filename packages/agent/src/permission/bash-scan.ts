import type { Node } from "web-tree-sitter";
import { scanLimits } from "../limits.ts";
import { openBashParser, type ReadTree } from "./bash-parser.ts";
import type { SeenPath } from "./bash-paths.ts";
import { BashWalk, type SeenCommand } from "./bash-walk.ts";

/** What can be seen of a shell line before it runs. */
export interface ScannedLine {
  /** In the order in which they are written, those inside of others too. */
  commands: SeenCommand[];
  /** Files that redirections write. */
  writes: string[];
  paths: SeenPath[];
  /** True when nothing else can run: no value is left open, and all of the line was understood. */
  isSeen: boolean;
}

/**
 * Takes a line apart. The grammar is not the shell itself, so each word and the room between words is read
 * again by the shell's rules; where the two do not agree, the line counts as not seen.
 */
export async function scanLine(
  line: string,
  platform: NodeJS.Platform = process.platform,
): Promise<ScannedLine> {
  // cmd.exe reads a line by rules of its own.
  if (platform === "win32" || line.length > scanLimits.lineCharacters) return rough(line);
  const readTree = await openBashParser();
  return readTree ? scanAll(line, readTree) : rough(line);
}

const roughCuts = /[\n;&|(){}`]+|\$\(|(?<=^|\s)(?:if|then|elif|else|while|until|do|time|!)\s/u;

/** What can't be taken apart is cut where commands may begin: a ban of one of them still finds it. */
function rough(line: string): ScannedLine {
  const pieces = line.split(roughCuts).map((piece) => piece.replaceAll(/['"\\]/g, "").trim());
  const commands = pieces
    .filter((piece) => piece !== "")
    .map((text) => ({ text, assignments: [], words: text.split(/\s+/) }));
  return { commands, writes: [], paths: [], isSeen: false };
}

interface Part extends ScannedLine {
  scripts: string[];
}

/** The line, and the lines that it gives to other shells. */
function scanAll(line: string, readTree: ReadTree): ScannedLine {
  const parts = [scan(line, readTree)];
  // The list grows while it is gone through: a line inside of a line may hold another one.
  for (const { scripts } of parts) {
    const left = scanLimits.scripts + 1 - parts.length;
    parts.push(...scripts.slice(0, left).map((script) => scan(script, readTree)));
  }
  return {
    commands: parts.flatMap((part) => part.commands),
    writes: parts.flatMap((part) => part.writes),
    paths: parts.flatMap((part) => part.paths),
    isSeen: parts.every((part) => part.isSeen),
  };
}

function scan(line: string, readTree: ReadTree): Part {
  const read = readTree(line, (root) => {
    const walk = new BashWalk(line);
    walk.visit(root);
    const isBroken = root.hasError || walk.isCut;
    return { walk, isBroken, isRead: !isBroken && walk.isSeen && isCovered(root, line) };
  });
  if (!read) return { ...rough(line), scripts: [] };
  const { commands, writes, paths, scripts } = read.walk;
  return {
    commands: read.isBroken ? [...commands, ...rough(line).commands] : commands,
    writes,
    paths,
    scripts,
    isSeen: read.isRead && line.trim() !== "" && !/[^\P{Cc}\n\t]/u.test(line),
  };
}

/** Words whose inside is read as a whole. */
const units = new Set(["string", "heredoc_body", "comment"]);

/** Whether there is nothing but room between what the tree knows. */
function isCovered(root: Node, line: string): boolean {
  let end = 0;
  const isRoom = (until: number) => /^(?:[ \t\n]|\\\n)*$/.test(line.slice(end, until));
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.childCount > 0 && !units.has(node.type)) {
      pending.push(...node.children.toReversed());
      continue;
    }
    if (node.startIndex < end || !isRoom(node.startIndex)) return false;
    end = node.endIndex;
  }
  return isRoom(line.length);
}
