import { memo, useMemo, useState } from "react";
import { CopyButton } from "../content/copy-button.tsx";
import { Json } from "../content/json.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { eventWords, isWanted, type AnyEvent } from "./event-words.ts";
import { useEvents } from "./use-events.ts";

export interface EventListProps {
  readonly limit: number;
}

const input = "touchable min-w-0 rounded-input border border-line bg-page px-2 py-1 text-sm";
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Raw events as they come, newest first. */
export function EventList({ limit }: EventListProps) {
  const [isPaused, setPaused] = useState(false);
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const events = useEvents(limit, isPaused);
  const kinds = useMemo(
    () => [...new Set(events.map((event) => eventWords(event).name))].toSorted(),
    [events],
  );
  const shown = useMemo(
    () => events.filter((event) => isWanted(event, kind, text)),
    [events, kind, text],
  );
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <select
          aria-label="Kind of event"
          value={kind}
          onChange={({ target }) => setKind(target.value)}
          className={`${input} w-32 shrink`}
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
          className={`${input} w-16 grow`}
        />
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Go on" : "Pause"}
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
          {events.length === 0 ? "Events stand here as they come." : "No event is like that."}
        </p>
      ) : (
        <ol className="min-w-0">
          {shown.map((event) => (
            <EventRow key={event.seq} event={event} />
          ))}
        </ol>
      )}
    </div>
  );
}

const EventRow = memo(function EventRow({ event }: { readonly event: AnyEvent }) {
  const { name, detail } = eventWords(event);
  return (
    <li className="border-b border-line py-0.5 [content-visibility:auto] [contain-intrinsic-size:auto_1.5rem] last:border-b-0">
      <Disclosure
        summary={
          <span className="flex min-w-0 items-baseline gap-2 font-mono text-xs">
            <span className="min-w-8 shrink-0 text-right text-soft">{event.seq}</span>
            <span className="shrink-0">{name}</span>
            <span className="min-w-0 grow truncate text-soft">{detail}</span>
            <time
              dateTime={new Date(event.at).toISOString()}
              className="hidden shrink-0 text-soft medium:inline"
            >
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
