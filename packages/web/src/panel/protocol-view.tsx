import { Tabs } from "radix-ui";
import { EventList } from "./event-list.tsx";
import { TraceList } from "./trace-list.tsx";

const EVENTS_SHOWN = 500;
const tab =
  "touchable rounded-input px-3 py-1 text-sm text-soft hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink";

/** All events of the session, and the trace if it is recorded. */
export function ProtocolView() {
  return (
    <Tabs.Root defaultValue="events" className="mx-auto flex w-full max-w-5xl flex-col gap-3 p-4">
      <Tabs.List aria-label="View" className="flex gap-1">
        <Tabs.Trigger value="events" className={tab}>
          Events
        </Tabs.Trigger>
        <Tabs.Trigger value="wire" className={tab}>
          Messages
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="events">
        <EventList limit={EVENTS_SHOWN} />
      </Tabs.Content>
      <Tabs.Content value="wire">
        <TraceList />
      </Tabs.Content>
    </Tabs.Root>
  );
}
