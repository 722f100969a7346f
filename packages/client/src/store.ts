/** Something that changes. A snapshot is never changed in place: the same object means that nothing has changed. */
export interface Store<Snapshot> {
  /** Returns how to stop listening. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): Snapshot;
}
