import { useLandline } from "@landline/client/react";
import { Download, LogIn, ScrollText, SlidersHorizontal, Square } from "lucide-react";
import { stopTurn } from "../composer/stop-turn.ts";
import { sessionActions } from "../sessions/session-actions.ts";
import { useSessionAgent } from "../sessions/use-session-agent.ts";
import { runCommand } from "../state/run-command.ts";
import { useIsAdmin, useMe, useOnlySession, useThisSession, useView } from "../state/session.tsx";
import { stopCombo } from "./shortcuts.ts";
import { modeCommands } from "./mode-commands.ts";
import { Group, Row, type RunProps } from "./palette-row.tsx";
import { downloadExport } from "./download-export.ts";
import { openSignIn } from "./overlay.ts";
import { go } from "./routes.ts";
import { exportFormats } from "./session-menu.tsx";
import { useSessionName } from "./use-session-name.ts";

/** Actions on the current session. */
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
          onSelect={() => onRun(() => void runCommand(downloadExport(landline.api, id, format)))}
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
  const agent = useSessionAgent();
  const isAdmin = useIsAdmin();
  const isClosed = useView((view) => view.session.closedBy !== null, false);
  const isLimited = useOnlySession() !== null;
  const isRunning = useView((view) => view.turn.state !== "idle", false);
  const modes = useView((view) => view.modes, null);
  const options = useView((view) => view.configOptions, null);
  return (
    <>
      {isRunning ? (
        <Row
          icon={Square}
          keyCombo={stopCombo}
          onSelect={() => onRun(() => void stopTurn(session))}
        >
          Stop the turn
        </Row>
      ) : null}
      {modeCommands(modes, options).map(({ name, set }) => (
        <Row
          key={name}
          icon={SlidersHorizontal}
          onSelect={() => onRun(() => void runCommand(set(session)))}
        >
          {`Switch to ${name}`}
        </Row>
      ))}
      {isAdmin ? (
        <Row icon={LogIn} onSelect={() => onRun(() => openSignIn(agent.id))}>
          {`Sign in to ${agent.name}`}
        </Row>
      ) : null}
      {sessionActions(landline, {
        sessionId: id,
        title,
        name: sessionName,
        isClosed,
        isLimited,
      }).map(({ name, icon, run }) => (
        <Row key={name} icon={icon} onSelect={() => onRun(run)}>
          {name}
        </Row>
      ))}
    </>
  );
}
