/** The parts of the service worker scope that are used here; the DOM types lack them. */
export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
}

interface WorkerEvents {
  readonly install: LastingEvent;
  readonly activate: LastingEvent;
  readonly message: MessageEvent<unknown>;
  readonly fetch: FetchedEvent;
  readonly notificationclick: LastingEvent & { readonly notification: Notification };
}

interface LastingEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchedEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface PageClient {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown, transfer: Transferable[]): void;
}
