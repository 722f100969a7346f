import { useMe, useThisSession } from "../state/session.tsx";
import { Queue } from "./queue.tsx";
import { MessageForm } from "./message-form.tsx";

const nothing = () => undefined;

/** What you write, with the queue above it (so a page that shows this shows no `Queue` of its own). */
export function Composer() {
  const session = useThisSession();
  if (useMe()?.role === "watch") {
    return (
      <div className="column flex flex-col gap-2 px-3 pb-3">
        <Queue editing={null} onEdit={nothing} onLost={nothing} />
        <p className="text-center text-sm text-soft">
          You can watch this conversation. To write in it, open a link that gives control.
        </p>
      </div>
    );
  }
  return <MessageForm key={session.id} />;
}
