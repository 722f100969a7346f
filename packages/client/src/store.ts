/** An observable value. Snapshots are immutable: the same object means no change. */
export interface Store<Snapshot> {
  /** Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): Snapshot;
}
