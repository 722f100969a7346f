type Dispatcher = NonNullable<RequestInit["dispatcher"]>;
type DispatcherClass = new (options: object) => Dispatcher;

/** Where undici, which implements Node's `fetch`, stores its dispatcher. */
const registry = Symbol.for("undici.globalDispatcher.1");

let patient: Dispatcher | undefined;

/**
 * `fetch` without a timeout. Node's own gives up after five minutes without data, but a local model may take
 * longer to process a prompt. The user can cancel it.
 */
export const fetchWithoutTimeout: typeof fetch = (input, init) => {
  patient ??= createDispatcher();
  return fetch(input, { ...init, ...(patient === undefined ? {} : { dispatcher: patient }) });
};

function createDispatcher(): Dispatcher | undefined {
  const usual = (globalThis as { [registry]?: object })[registry];
  if (usual === undefined) return undefined;
  const Class = usual.constructor as DispatcherClass;
  return new Class({ headersTimeout: 0, bodyTimeout: 0 });
}
