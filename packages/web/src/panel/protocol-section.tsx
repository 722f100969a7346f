import { closeOverlay } from "../app/overlay.ts";
import { hrefOf } from "../app/routes.ts";
import { useThisSession, useView } from "../state/session.tsx";
import { EventList } from "./event-list.tsx";
import { Section } from "./section.tsx";

/** The latest events, for developers of agents; the protocol page has all of them. */
export function ProtocolSection() {
  const session = useThisSession();
  const hasEvents = useView((view) => view.head > 0, false);
  if (!hasEvents) return null;
  return (
    <Section name="Protocol" isOpenAtFirst={false}>
      {() => (
        <div className="flex flex-col gap-2">
          <a
            href={hrefOf({ name: "protocol", sessionId: session.id })}
            onClick={closeOverlay}
            className="touchable inline-flex items-center text-sm text-accent underline underline-offset-2"
          >
            Open the protocol view
          </a>
          <EventList limit={50} />
        </div>
      )}
    </Section>
  );
}
