import { setNewest } from "@landline/system/evict-oldest";
import { resolve } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { namesOf } from "../../tool-calls/call-names.ts";
import type { SessionContext } from "../session-context.ts";

type Use = "read" | "write";

interface Allowed {
  readonly askId: string;
  isUsed: boolean;
}

/**
 * Which permission request allowed a file access, until the turn ends. Only certain matches are returned: the allowed call
 * names the path, and no other allowed call that has not used it does. Paths are compared as written, without file access.
 */
export class AllowedPaths {
  readonly #context: SessionContext;
  /** By use and path, oldest first. Null if the match is ambiguous. */
  readonly #allowed = new Map<string, Allowed | null>();

  constructor(context: SessionContext) {
    this.#context = context;
  }

  note(askId: string, toolCall: ToolCallUpdate): void {
    const use = useOf(toolCall.kind);
    if (use === null) return;
    const { limits, cwd } = this.#context;
    const named = namesOf(toolCall).paths.slice(0, limits.askPaths);
    for (const path of new Set(named.map((one) => resolve(cwd, one)))) {
      const key = keyOf(use, path);
      const before = this.#allowed.get(key);
      const isClear = before === undefined || before?.isUsed === true;
      const allowed = isClear ? { askId, isUsed: false } : null;
      setNewest(this.#allowed, [key, allowed], limits.asksRemembered);
    }
  }

  /** `asked` is the path as the agent wrote it, `path` its real path. */
  askFor(use: Use, asked: string, path: string): string | null {
    const written = this.#allowed.get(keyOf(use, resolve(this.#context.cwd, asked)));
    const allowed = written === undefined ? this.#allowed.get(keyOf(use, path)) : written;
    if (!allowed) return null;
    allowed.isUsed = true;
    return allowed.askId;
  }

  /** Whether a permission of this turn named the path for this use. Permission to change a file includes reading it. */
  isAllowed(use: Use, path: string): boolean {
    return this.#allowed.has(keyOf(use, path)) || this.#allowed.has(keyOf("write", path));
  }

  endTurn(): void {
    this.#allowed.clear();
  }
}

function keyOf(use: Use, path: string): string {
  return `${use} ${path}`;
}

/** How a call of that kind uses the files that it names. Null if it may not use them. */
function useOf(kind: ToolCallUpdate["kind"]): Use | null {
  switch (kind) {
    case "edit":
    case "move":
    case "other":
    case undefined:
    case null:
      return "write";
    case "read":
    case "search":
      return "read";
    default:
      return null;
  }
}
