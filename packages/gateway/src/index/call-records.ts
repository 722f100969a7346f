import { noRecord, type CallRecord } from "./call-record.ts";

/**
 * The records of the calls of one session while a run of events is read: those that were read before, and those that
 * the run changes. They are kept in the database, since a call may be changed long after it began.
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
