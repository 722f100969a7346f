import {
  isAnotherCall,
  readUpdate,
  updateKindOf,
  type CallSource,
  type LatestCall,
  type RawUpdate,
} from "@landline/protocol";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import {
  type CallNames,
  mergedNames,
  namesOf,
  noNames,
  sizeOf,
} from "../../tool-calls/call-names.ts";

/** Calls of earlier turns are not remembered. */
interface Call extends Omit<LatestCall, "isOfEarlierTurn"> {
  readonly names: CallNames;
  /** Characters of its names and its key. */
  readonly size: number;
}

/** Bounds for one turn: the calls to remember, and the characters of all of them. */
const callsMax = 1_000;
const charactersMax = 4_000_000;

/**
 * Collects what the tool calls of a turn named, by id. An agent may name a command in an update and something else in
 * its permission request; rules see both.
 */
export class NamedCalls {
  readonly #calls = new Map<string, Call>();
  #characters = 0;
  /** Which calls were forgotten: none, only ended ones, or also open ones, which may still have requests. */
  #forgotten: "nothing" | "ended" | "open" = "nothing";

  /** `child` is the agent's id of the child session. */
  note(raw: RawUpdate, child: string | null): void {
    const kind = updateKindOf(raw)?.kind;
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const reading = readUpdate(raw);
    if (reading.kind !== "tool-call") return;
    const { toolCallId, source, update } = reading;
    const isEnd = update["status"] === "completed" || update["status"] === "failed";
    this.#merge(keyOf(toolCallId, child), namesOf(update), source, isEnd);
  }

  /**
   * Everything that the call of a permission request named, including the request. A request with the id of an ended
   * call may be about either call, so the names of the ended call count, but are not complete.
   */
  asked(toolCall: ToolCallUpdate, child: string | null): CallNames {
    const key = keyOf(toolCall.toolCallId, child);
    const names = namesOf(toolCall);
    const mayBeOther = this.#calls.get(key)?.isEnded === true;
    const unread = mayBeOther ? [...names.unread, endedCall] : names.unread;
    return this.#merge(key, { ...names, unread }, "permission");
  }

  endTurn(): void {
    this.#calls.clear();
    this.#characters = 0;
    this.#forgotten = "nothing";
  }

  #merge(key: string, names: CallNames, source: CallSource, isEnd = false): CallNames {
    const known = this.#calls.get(key);
    const isAnother =
      known === undefined ||
      (source !== "permission" &&
        isAnotherCall(
          source,
          { ...known, isOfEarlierTurn: false },
          () => isEnd && mergedNames(known.names, names) === known.names,
        ));
    const latest = isAnother ? this.#newCall(known, source) : known;
    const merged = mergedNames(latest.names, names);
    const size = known && merged === known.names ? known.size : sizeOf(merged) + key.length;
    const isUnannounced = source === "update" && latest.isUnannounced;
    this.#calls.set(key, { names: merged, size, isEnded: isEnd || latest.isEnded, isUnannounced });
    this.#characters += size - (known?.size ?? 0);
    while (this.#calls.size > callsMax || this.#characters > charactersMax)
      if (!this.#forgetOne(key)) break;
    return merged;
  }

  /**
   * A `tool_call` starts a new call even if an ended call has its id. Any other update may belong to a forgotten call.
   */
  #newCall(known: Call | undefined, source: CallSource): Omit<Call, "size"> {
    const isCertain =
      known !== undefined ||
      this.#forgotten === "nothing" ||
      (this.#forgotten === "ended" && source === "call");
    const names = isCertain ? noNames : { ...noNames, unread: [forgottenCall] };
    return { names, isEnded: false, isUnannounced: true };
  }

  /** Forgets the oldest ended call, or else the oldest call, but never the latest. */
  #forgetOne(latest: string): boolean {
    const others = [...this.#calls].filter(([key]) => key !== latest);
    const [key, call] = others.find(([, { isEnded }]) => isEnded) ?? others[0] ?? [];
    if (key === undefined || call === undefined) return false;
    this.#calls.delete(key);
    this.#characters -= call.size;
    if (!call.isEnded) this.#forgotten = "open";
    else if (this.#forgotten === "nothing") this.#forgotten = "ended";
    return true;
  }
}

const endedCall = "an ended call has the same id";
const forgottenCall = "too much was named in this turn to know what this call named before";

function keyOf(toolCallId: string, child: string | null): string {
  return JSON.stringify([child, toolCallId]);
}
