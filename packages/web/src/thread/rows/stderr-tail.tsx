import { Ansi } from "../../content/ansi.tsx";
import { ScrollRegion } from "../../content/scroll-region.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";

/** The last lines of the agent's stderr. */
export function StderrTail({ text }: { readonly text: string }) {
  if (text.trim() === "") return null;
  return (
    <Disclosure summary={<span className="text-soft">Show log</span>}>
      {() => (
        <ScrollRegion name="Log of the agent" className="mt-1 rounded-card bg-sunken p-2">
          <pre className="w-max max-w-full font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
            <Ansi text={text.trimEnd()} />
          </pre>
        </ScrollRegion>
      )}
    </Disclosure>
  );
}
