import type { TraceLine } from "@landline/client";
import { memo } from "react";
import { CopyButton } from "../content/copy-button.tsx";
import { Json } from "../content/json.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { useTrace } from "./use-trace.ts";
import { traceText } from "./trace-text.ts";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The trace between the gateway and the agent, if it is recorded. */
export function TraceList() {
  const { wire, loadOlder } = useTrace();
  if (wire.state === "loading") return <p className="text-sm text-soft">Loading…</p>;
  if (wire.state === "failed") return <p className="text-sm text-bad">{wire.failure}</p>;
  if (wire.state === "not-kept") {
    return (
      <p className="text-sm text-soft">
        Protocol messages are not recorded. To record them, start the gateway with{" "}
        <code className="font-mono text-ink">npx landline serve --trace</code>.
      </p>
    );
  }
  if (wire.lines.length === 0) return <p className="text-sm text-soft">No messages yet.</p>;
  return (
    <div className="@container flex min-w-0 flex-col gap-2">
      <div className="flex justify-end">
        <CopyButton
          text={() =>
            wire.lines
              .toReversed()
              .map((line) => JSON.stringify(line))
              .join("\n")
          }
          name="Copy these lines"
        />
      </div>
      <ol className="min-w-0">
        {wire.lines.map((line) => (
          <WireRow key={line.number} line={line} />
        ))}
      </ol>
      {wire.hasMore ? (
        <Button className="self-start" onClick={() => void loadOlder()}>
          Show older lines
        </Button>
      ) : null}
    </div>
  );
}

const WireRow = memo(function WireRow({ line }: { readonly line: TraceLine }) {
  const { name, detail } = traceText(line);
  return (
    <li className="border-b border-line py-0.5 [content-visibility:auto] [contain-intrinsic-size:auto_1.5rem] last:border-b-0">
      <Disclosure
        summary={
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 font-mono text-xs @xl:flex-nowrap">
            <span className="min-w-8 shrink-0 text-right text-soft">{line.number}</span>
            <span className="w-20 shrink-0 text-soft">
              {line.direction === "in" ? "to agent" : "from agent"}
            </span>
            <span className="min-w-0 grow basis-0 truncate @xl:grow-0 @xl:basis-auto @xl:shrink-0">
              {name}
            </span>
            <span className="order-last w-full truncate pl-10 text-soft empty:hidden @xl:order-none @xl:w-auto @xl:min-w-0 @xl:grow @xl:pl-0 @xl:empty:inline">
              {detail}
            </span>
            <time dateTime={new Date(line.at).toISOString()} className="shrink-0 text-soft">
              {clock.format(line.at)}
            </time>
          </span>
        }
      >
        {() =>
          line.text === undefined ? (
            <Json value={line.message} />
          ) : (
            <pre className="overflow-x-auto rounded-card bg-sunken p-3 font-mono text-sm">
              {line.text}
            </pre>
          )
        }
      </Disclosure>
    </li>
  );
});
