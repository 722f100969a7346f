import { useEffect, useRef, useState } from "react";
import { useView } from "../state/session.tsx";
import { announcementOf } from "./announcement.ts";
import { doingOf, type SessionDoing } from "./session-state.ts";

/** For those who listen: how the session stands, and not every word of it. */
export function Announcer() {
  const doing = useView<SessionDoing | null>(doingOf, null);
  const before = useRef(doing);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const announcement = announcementOf(before.current, doing);
    before.current = doing;
    if (announcement !== null) setSaid(announcement);
  }, [doing]);
  return <output className="sr-only">{said}</output>;
}
