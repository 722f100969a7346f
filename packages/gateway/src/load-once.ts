/** Loads at the first call, once for all callers. What failed is tried again by the next one. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): {
  (): Promise<Loaded>;
  /** What was loaded, or is being loaded; null when nothing is. */
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
