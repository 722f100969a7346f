/** How a page authenticates: with a key that the browser does not export, or a secret if it has no keys. */
export type KeptKey =
  | { readonly keyId: string; readonly privateKey: CryptoKey }
  | { readonly keyId: string; readonly secret: string };

const storeName = "keys";

/**
 * The key of this page, in IndexedDB. It is bound to the origin, including the port, and available to the service
 * worker. Without IndexedDB it is kept in memory.
 */
export class KeyStorage {
  readonly #name: string;
  #inMemory: KeptKey | null = null;

  /** Several gateways may share an origin under different paths. */
  constructor(name: string) {
    this.#name = name;
  }

  async get(): Promise<KeptKey | null> {
    try {
      const found = await this.#use("readonly", (store) => store.get(this.#name));
      return (found as KeptKey | undefined) ?? this.#inMemory;
    } catch {
      return this.#inMemory;
    }
  }

  async put(key: KeptKey): Promise<void> {
    this.#inMemory = key;
    await this.#use("readwrite", (store) => store.put(key, this.#name)).catch(() => {});
  }

  async #use(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest,
  ): Promise<unknown> {
    const opening = indexedDB.open("landline-access", 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(storeName));
    const database = (await ended(opening)) as IDBDatabase;
    try {
      return await ended(act(database.transaction(storeName, mode).objectStore(storeName)));
    } finally {
      database.close();
    }
  }
}

function ended(request: IDBRequest): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  request.addEventListener("success", () => resolve(request.result));
  request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
  return promise;
}
