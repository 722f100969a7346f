import { useLandline } from "@landline/client/react";
import { Ban, Download, LogIn, ScrollText, SlidersHorizontal } from "lucide-react";
import { sessionActions } from "../sessions/session-actions.ts";
import { useThisAgent } from "../sessions/use-this-agent.ts";
import { act } from "../state/act.ts";
import { useMe, useThisSession, useView } from "../state/session.tsx";
import { modeChoices } from "./mode-choices.ts";
import { Group, Row, type RunProps } from "./palette-row.tsx";
import { openSignIn } from "./overlay.ts";
import { go } from "./routes.ts";
import { exportFormats } from "./session-menu.tsx";
import { useSessionName } from "./use-session-name.ts";

/** What can be done with the session that is shown. */
export function PaletteSession({ onRun }: RunProps) {
  const landline = useLandline();
  const session = useThisSession();
  const isWatcher = useMe()?.role === "watch";
  const { id } = session;
  return (
    <Group name="This conversation">
      {isWatcher ? null : <Commands onRun={onRun} />}
      {exportFormats.map(({ format, name }) => (
        <Row
          key={format}
          icon={Download}
          onSelect={() =>
            onRun(() => open(landline.api.exportUrl(id, format), "_blank", "noopener"))
          }
        >
          {`Export as ${name}`}
        </Row>
      ))}
      <Row icon={ScrollText} onSelect={() => onRun(() => go({ name: "protocol", sessionId: id }))}>
        Protocol view
      </Row>
    </Group>
  );
}

function Commands({ onRun }: RunProps) {
  const landline = useLandline();
  const session = useThisSession();
  const { id } = session;
  const title = useView((view) => view.session.title, null);
  const sessionName = useSessionName() ?? "";
  const agent = useThisAgent();
  const isClosed = useView((view) => view.session.closedBy !== null, false);
  const isRunning = useView((view) => view.turn.state !== "idle", false);
  const modes = useView((view) => view.modes, null);
  const options = useView((view) => view.configOptions, null);
  return (
    <>
      {isRunning ? (
        <Row icon={Ban} onSelect={() => onRun(() => void act(session.cancel()))}>
          Cancel the turn
        </Row>
      ) : null}
      {modeChoices(modes, options).map(({ name, set }) => (
        <Row
          key={name}
          icon={SlidersHorizontal}
          onSelect={() => onRun(() => void act(set(session)))}
        >
          {`Switch to ${name}`}
        </Row>
      ))}
      <Row icon={LogIn} onSelect={() => onRun(() => openSignIn(agent.id))}>
        {`Sign in to ${agent.name}`}
      </Row>
      {sessionActions(landline, { sessionId: id, title, name: sessionName, isClosed }).map(
        ({ name, icon, run }) => (
          <Row key={name} icon={icon} onSelect={() => onRun(run)}>
            {name}
          </Row>
        ),
      )}
    </>
  );
}
