type Dispatcher = NonNullable<RequestInit["dispatcher"]>;
type DispatcherClass = new (options: object) => Dispatcher;

/** Where undici, which Node's `fetch` is made of, keeps what sends its requests. */
const registry = Symbol.for("undici.globalDispatcher.1");

let patient: Dispatcher | undefined;

/**
 * `fetch` that waits as long as it takes. Node's own gives up after five minutes without a byte, and a model
 * on a person's own machine may read a long prompt for longer; they end it by cancelling.
 */
export const patientFetch: typeof fetch = (input, init) => {
  patient ??= createPatient();
  return fetch(input, { ...init, ...(patient === undefined ? {} : { dispatcher: patient }) });
};

function createPatient(): Dispatcher | undefined {
  const usual = (globalThis as { [registry]?: object })[registry];
  if (usual === undefined) return undefined;
  const Class = usual.constructor as DispatcherClass;
  return new Class({ headersTimeout: 0, bodyTimeout: 0 });
}

export function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
