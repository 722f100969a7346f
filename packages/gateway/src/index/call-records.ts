import { noRecord, type CallRecord } from "./call-record.ts";

/**
 * The call records of one session during a run of events: those read from the database and those that the run changes.
 * They are stored, because a call may change long after it began.
 */
export class CallRecords {
  readonly #load: (key: string) => CallRecord | null;
  readonly #known = new Map<string, CallRecord>();
  readonly #changed = new Map<string, CallRecord>();

  constructor(load: (key: string) => CallRecord | null) {
    this.#load = load;
  }

  of(key: string): CallRecord {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const record = this.#load(key) ?? noRecord;
    this.#known.set(key, record);
    return record;
  }

  set(key: string, record: CallRecord): void {
    this.#known.set(key, record);
    this.#changed.set(key, record);
  }

  get changed(): ReadonlyMap<string, CallRecord> {
    return this.#changed;
  }
}
