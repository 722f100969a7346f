import { useSessionAgent } from "../sessions/use-session-agent.ts";
import { useView } from "../state/session.tsx";
import { Kbd } from "../ui/kbd.tsx";

/** Shown before the first message: the agent, its folder, and what can be typed. */
export function EmptyThread() {
  const { name } = useSessionAgent();
  const cwd = useView((view) => view.session.cwd, "");
  const hasCommands = useView((view) => view.commands.length > 0, false);
  return (
    <div className="flex flex-col gap-1 px-4 py-6 text-center text-sm text-soft">
      <p>
        {name === "" ? "The agent" : name} works in{" "}
        <span className="font-mono [overflow-wrap:anywhere]">{cwd}</span>
      </p>
      <p>
        Say what to do below.{" "}
        {hasCommands ? (
          <>
            <Kbd>/</Kbd> shows its commands,{" "}
          </>
        ) : null}
        <Kbd>@</Kbd> names a file.
      </p>
    </div>
  );
}
