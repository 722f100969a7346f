import { memo, useMemo, useState } from "react";
import { CopyButton } from "../content/copy-button.tsx";
import { Json } from "../content/json.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { eventText, isWanted, searchEvents, type AnyEvent } from "./event-text.ts";
import { MAX_EVENTS, useEvents } from "./use-events.ts";

export interface EventListProps {
  readonly limit: number;
}

const input = "touchable min-w-0 rounded-input border border-line bg-page px-2 py-1 text-sm";
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Raw events, newest first. */
export function EventList({ limit }: EventListProps) {
  const [isPaused, setPaused] = useState(false);
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const { events, loadOlder } = useEvents(limit, isPaused);
  const kinds = useMemo(
    () => [...new Set(events.map((event) => eventText(event).name))].toSorted(),
    [events],
  );
  const shown = useMemo(
    () => events.filter((event) => isWanted(event, kind, text)),
    [events, kind, text],
  );
  return (
    <div className="@container flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="Kind of event"
          value={kind}
          onChange={({ target }) => setKind(target.value)}
          className={`${input} w-32 grow @xl:grow-0`}
        >
          <option value="">All kinds</option>
          {kinds.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Text in the event"
          placeholder="Filter"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={`${input} order-last w-full @xl:order-none @xl:w-16 @xl:grow`}
        />
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Resume" : "Pause"}
        </Button>
        <CopyButton
          text={() =>
            shown
              .toReversed()
              .map((event) => JSON.stringify(event))
              .join("\n")
          }
          name="Copy these events"
        />
      </div>
      {shown.length === 0 ? (
        <p className="text-sm text-soft">
          {events.length === 0 ? "Events appear here as they arrive." : "No matching events."}
        </p>
      ) : (
        <ol className="min-w-0">
          {shown.map((event) => (
            <EventRow key={event.seq} event={event} />
          ))}
        </ol>
      )}
      <p className="text-xs text-soft">
        {searchEvents(events, kind !== "" || text !== "" ? shown.length : null)}
        {events.length < MAX_EVENTS ? null : " Export the conversation as JSON to get the rest."}
      </p>
      {loadOlder === null ? null : (
        <Button className="self-start" onClick={() => void loadOlder()}>
          Show older events
        </Button>
      )}
    </div>
  );
}

const EventRow = memo(function EventRow({ event }: { readonly event: AnyEvent }) {
  const { name, detail } = eventText(event);
  return (
    <li className="border-b border-line py-0.5 [content-visibility:auto] [contain-intrinsic-size:auto_1.5rem] last:border-b-0">
      <Disclosure
        summary={
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 font-mono text-xs @xl:flex-nowrap">
            <span className="min-w-8 shrink-0 text-right text-soft">{event.seq}</span>
            <span className="min-w-0 grow basis-0 truncate @xl:grow-0 @xl:basis-auto @xl:shrink-0">
              {name}
            </span>
            {/* On its own line if the panel is narrow. */}
            <span className="order-last w-full truncate pl-10 text-soft empty:hidden @xl:order-none @xl:w-auto @xl:min-w-0 @xl:grow @xl:pl-0 @xl:empty:inline">
              {detail}
            </span>
            <time dateTime={new Date(event.at).toISOString()} className="shrink-0 text-soft">
              {clock.format(event.at)}
            </time>
          </span>
        }
      >
        {() => <Json value={event} />}
      </Disclosure>
    </li>
  );
});
