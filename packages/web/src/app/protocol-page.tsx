import { ArrowLeft } from "lucide-react";
import { lazy, Suspense } from "react";
import { useSnapshotPart } from "../state/session.tsx";
import { PageHeader } from "./page-header.tsx";
import { sessionHref } from "./routes.ts";
import { usePageTitle } from "./use-page-title.ts";
import { useSessionName } from "./use-session-name.ts";

const ProtocolView = lazy(async () => ({
  default: (await import("../panel/protocol-view.tsx")).ProtocolView,
}));

export function ProtocolPage() {
  const sessionId = useSnapshotPart((snapshot) => snapshot.sessionId);
  const name = useSessionName();
  usePageTitle(name === null ? "Protocol" : `Protocol · ${name}`);
  return (
    <>
      <PageHeader title={`Protocol · ${name ?? "…"}`}>
        <a
          href={sessionHref(sessionId)}
          aria-label="Back to the conversation"
          title="Back to the conversation"
          className="touchable inline-flex shrink-0 items-center justify-center gap-2 rounded-input px-2 py-1 text-sm text-soft hover:bg-raised hover:text-ink"
        >
          <ArrowLeft size={16} strokeWidth={1.5} aria-hidden />
          <span className="hidden medium:inline">Back to the conversation</span>
        </a>
      </PageHeader>
      <div className="min-h-0 grow overflow-y-auto">
        <Suspense fallback={null}>
          <ProtocolView />
        </Suspense>
      </div>
    </>
  );
}
