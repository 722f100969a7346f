/** Loads at the first call, once for all callers. After a failure, the next call tries again. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): {
  (): Promise<Loaded>;
  /** The finished or running load; null when there is none. */
  readonly current: () => Promise<Loaded> | null;
} {
  let loading: Promise<Loaded> | null = null;
  const get = () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  return Object.assign(get, { current: () => loading });
}
