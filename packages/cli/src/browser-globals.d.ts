import type { webcrypto } from "node:crypto";

/**
 * Browser types that the client's source uses and Node's types lack. The client's own project checks it with the real
 * types. Here it only has to compile with Node's types.
 */
declare global {
  var document:
    | (EventTarget & { readonly baseURI: string; readonly visibilityState: string })
    | undefined;
  var window: EventTarget | undefined;
  var location: Pick<URL, "hash" | "pathname" | "search">;
  var history: {
    readonly state: unknown;
    replaceState(data: unknown, unused: string, url: string): void;
  };
  var indexedDB: { open(name: string, version: number): IDBRequest<IDBDatabase> };
  var reportError: ((error: unknown) => void) | undefined;
  function requestAnimationFrame(draw: () => void): number;
  function cancelAnimationFrame(picture: number): void;
  type CryptoKey = webcrypto.CryptoKey;
  type CryptoKeyPair = webcrypto.CryptoKeyPair;
  type IDBTransactionMode = "readonly" | "readwrite";
  interface IDBRequest<Result = unknown> extends EventTarget {
    readonly result: Result;
    readonly error: Error | null;
  }
  interface IDBObjectStore {
    get(key: string): IDBRequest;
    put(value: unknown, key: string): IDBRequest;
    delete(key: string): IDBRequest;
  }
  interface IDBDatabase {
    createObjectStore(name: string): unknown;
    transaction(
      name: string,
      mode: IDBTransactionMode,
    ): { objectStore(name: string): IDBObjectStore };
    close(): void;
  }
}
