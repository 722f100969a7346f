import { useEffect, useRef, useState } from "react";
import { requestItemOf } from "../requests/request-lookup.ts";
import { requestSubject } from "../requests/request-subject.ts";
import { useThisSession, useView } from "../state/session.tsx";
import { announcementOf } from "./announcement.ts";
import { activityOfView, type SessionActivity } from "./session-activity.ts";

/** Announces the state of the session to screen readers, not each chunk. */
export function Announcer() {
  const session = useThisSession();
  const doing = useView<SessionActivity | null>(activityOfView, null);
  const askId = useView((view) => view.openAsks[0]?.askId ?? null, null);
  const before = useRef({ doing, askId });
  const [said, setSaid] = useState("");
  useEffect(() => {
    const last = before.current;
    before.current = { doing, askId };
    const announcement = announcementOf(last.doing, doing);
    // A digit in the message field answers, so each new request must be announced.
    const isNextAsk = last.doing !== null && askId !== null && askId !== last.askId;
    if (doing === "asking" && (announcement !== null || isNextAsk)) {
      const { view } = session.getSnapshot();
      const [open] = view?.openAsks ?? [];
      const item = view && open ? requestItemOf(view, open) : null;
      const subject = view && item ? requestSubject(item, view) : null;
      setSaid(subject === null ? "Needs your answer" : `Needs your answer: ${cut(subject.text)}`);
    } else if (announcement !== null) setSaid(announcement);
  }, [doing, askId, session]);
  return <output className="sr-only">{said}</output>;
}

const wordsMost = 200;

function cut(text: string): string {
  return text.length > wordsMost ? `${text.slice(0, wordsMost)}…` : text;
}
