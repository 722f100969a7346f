import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import {
  bridgeState,
  type BridgeToolCall,
  type ChatMessage,
  type PermissionRequest,
} from "./bridge-messages.ts";
import type { AskOutcome, Landline } from "./contract.ts";
import { createLandline } from "./landline.ts";
import { report } from "./listeners.ts";
import type { Store } from "./store.ts";

export interface BridgeOptions {
  /** The session to show. Default: the one that was last sent to. */
  readonly sessionId?: string;
  /** The agent of a session that the first message opens. Default: the first available one. */
  readonly agent?: string;
  /** The folder of such a session. Default: the folder of the gateway. */
  readonly cwd?: string;
  /** Called once for each permission request. */
  readonly onPermissionRequest?: (request: PermissionRequest) => void;
}

export interface Bridge {
  readonly isConnected: boolean;
  readonly messages: readonly ChatMessage[];
  readonly currentStreamingMessage: string;
  readonly pendingToolCalls: readonly BridgeToolCall[];
  readonly sendMessage: (content: string, sessionId?: string) => void;
  readonly cancelTurn: (sessionId?: string) => void;
  readonly respondToPermission: (
    requestId: string,
    outcome: { outcome: string; optionId?: string },
  ) => void;
}

/**
 * The hook of seed 001, with the same fields, over a connection that resumes. `url` is the address of the gateway or
 * of its WebSocket. Failures are reported as page errors, because no field of the hook can hold them.
 */
export function useACPBridge(url: string, options: BridgeOptions = {}): Bridge {
  const landline = useLineTo(url);
  const [sentTo, setSentTo] = useState<{ readonly landline: Landline; readonly id: string }>();
  const sent = sentTo?.landline === landline ? sentTo?.id : undefined;
  const sessionId = options.sessionId ?? sent ?? null;
  const session = useMemo(
    () => (landline && sessionId !== null ? landline.session(sessionId) : null),
    [landline, sessionId],
  );
  const isConnected = useFrom(landline?.connection ?? null)?.state === "online";
  const snapshot = useFrom(session);
  const state = useMemo(() => (snapshot ? bridgeState(snapshot) : nothing), [snapshot]);
  usePermissionRequests(state.permissions, options.onPermissionRequest);

  const { agent, cwd } = options;
  const openOnce = useOpening(agent, cwd);
  const sendMessage = useCallback(
    (content: string, to?: string) => {
      const send = async () => {
        if (!landline) throw new Error("Nothing can be sent before the component is mounted.");
        const id = to ?? sessionId ?? (await openOnce(landline));
        setSentTo({ landline, id });
        await landline.session(id).prompt(content);
      };
      send().catch(report);
    },
    [landline, sessionId, openOnce],
  );
  const cancelTurn = useCallback(
    (of?: string) => {
      const id = of ?? sessionId;
      if (landline && id !== null) landline.session(id).cancel().catch(report);
    },
    [landline, sessionId],
  );
  const respondToPermission = useCallback<Bridge["respondToPermission"]>(
    (requestId, outcome) => {
      session?.answer(requestId, outcome as AskOutcome).catch(report);
    },
    [session],
  );
  const { messages, currentStreamingMessage, pendingToolCalls } = state;
  return {
    isConnected,
    messages,
    currentStreamingMessage,
    pendingToolCalls,
    sendMessage,
    cancelTurn,
    respondToPermission,
  };
}

const nothing = {
  messages: [],
  currentStreamingMessage: "",
  pendingToolCalls: [],
  permissions: [],
} as const;

/** Creates the client on mount and closes it on unmount. */
function useLineTo(url: string): Landline | null {
  const [landline, setLandline] = useState<Landline | null>(null);
  useEffect(() => {
    const made = createLandline({ url });
    setLandline(made);
    return () => made.close();
  }, [url]);
  return landline;
}

/** Opens one session for all messages that name none, including those of an earlier render. */
function useOpening(agent?: string, cwd?: string): (landline: Landline) => Promise<string> {
  const opening = useRef<{ readonly landline: Landline; readonly id: Promise<string> }>(null);
  return useCallback(
    (landline: Landline) => {
      if (opening.current?.landline !== landline) {
        const id = openSession(landline, agent, cwd).catch((error: unknown) => {
          opening.current = null;
          throw error;
        });
        opening.current = { landline, id };
      }
      return opening.current.id;
    },
    [agent, cwd],
  );
}

/** Like `useStore`, for a store that may not exist yet. */
function useFrom<Snapshot>(store: Store<Snapshot> | null): Snapshot | null {
  const [subscribe, getSnapshot] = useMemo(
    () =>
      [
        (listener: () => void) => store?.subscribe(listener) ?? (() => {}),
        () => store?.getSnapshot() ?? null,
      ] as const,
    [store],
  );
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

function usePermissionRequests(
  permissions: readonly PermissionRequest[],
  tell: BridgeOptions["onPermissionRequest"],
): void {
  const reported = useRef(new Set<string>());
  useEffect(() => {
    for (const request of permissions) {
      if (!tell || reported.current.has(request.requestId)) continue;
      reported.current.add(request.requestId);
      tell(request);
    }
  }, [permissions, tell]);
}

async function openSession(landline: Landline, agent?: string, cwd?: string): Promise<string> {
  const chosen = agent ?? (await firstAgent(landline));
  const folder = cwd ?? (await landline.api.readMe()).cwd;
  return (await landline.open({ agent: chosen, cwd: folder })).sessionId;
}

/** Returns the first agent of the list, where the built-in one is first. */
function firstAgent({ agents }: Landline): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const look = () => {
    const found = agents.getSnapshot()?.find((agent) => agent.found);
    if (found) resolve(found.id);
  };
  const unsubscribe = agents.subscribe(look);
  look();
  return promise.finally(unsubscribe);
}
