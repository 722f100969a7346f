import { setNewest } from "@landline/system/evict-oldest";
import { resolve } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { namesOf } from "../../tool-calls/call-names.ts";
import type { DutyContext } from "../duty.ts";

type Use = "read" | "write";

interface Allowed {
  readonly askId: string;
  isUsed: boolean;
}

/**
 * Which ask allowed what is done to a file, for as long as the turn lasts. It is told only where it is
 * certain: the call that was allowed names the path, and no other call that is still to use it does. Paths
 * are compared as they are written, so that nothing is looked up for an ask.
 */
export class AllowedPaths {
  readonly #context: DutyContext;
  /** By use and path, the oldest first; null where more than one may be meant. */
  readonly #allowed = new Map<string, Allowed | null>();

  constructor(context: DutyContext) {
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

  /** `asked`: as the agent wrote it; `path`: where that leads. */
  askFor(use: Use, asked: string, path: string): string | null {
    const written = this.#allowed.get(keyOf(use, resolve(this.#context.cwd, asked)));
    const allowed = written === undefined ? this.#allowed.get(keyOf(use, path)) : written;
    if (!allowed) return null;
    allowed.isUsed = true;
    return allowed.askId;
  }

  /** Whether a permission of this turn named the path for this use. Whoever may change a file may read it. */
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

/** What a call of that kind does to a file that it names; null when it need not do anything to it. */
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
