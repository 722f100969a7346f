import { useConnection, useLandline } from "@landline/client/react";
import { Download, EllipsisVertical, LogIn, ScrollText } from "lucide-react";
import { sessionActions } from "../sessions/session-actions.ts";
import { runCommand } from "../state/run-command.ts";
import { useSessionAgent } from "../sessions/use-session-agent.ts";
import { useIsAdmin, useMe, useOnlySession, useThisSession, useView } from "../state/session.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuItem, MenuLabel, MenuLine } from "../ui/menu.tsx";
import { downloadExport } from "./download-export.ts";
import { openSignIn } from "./overlay.ts";
import { go } from "./routes.ts";
import { useSessionName } from "./use-session-name.ts";

export const exportFormats = [
  { format: "markdown", name: "Markdown" },
  { format: "html", name: "HTML" },
  { format: "json", name: "JSON" },
] as const;

export function SessionMenu() {
  const { id } = useThisSession();
  const { api } = useLandline();
  return (
    <Menu align="end" trigger={<IconButton icon={EllipsisVertical} name="Conversation menu" />}>
      <Actions />
      <MenuLabel>Export</MenuLabel>
      {exportFormats.map(({ format, name }) => (
        <MenuItem key={format} onSelect={() => void runCommand(downloadExport(api, id, format))}>
          <Download
            size={16}
            strokeWidth={1.5}
            aria-hidden
            className="mt-0.5 shrink-0 pointer-coarse:mt-0"
          />
          {name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => go({ name: "protocol", sessionId: id })}>
        <ScrollText
          size={16}
          strokeWidth={1.5}
          aria-hidden
          className="mt-0.5 shrink-0 pointer-coarse:mt-0"
        />
        Protocol view
      </MenuItem>
      <Transport />
    </Menu>
  );
}

function Actions() {
  const landline = useLandline();
  const { id } = useThisSession();
  const title = useView((view) => view.session.title, null);
  const sessionName = useSessionName() ?? "";
  const isClosed = useView((view) => view.session.closedBy !== null, false);
  const isLimited = useOnlySession() !== null;
  if (useMe()?.role === "watch") return null;
  return (
    <>
      {sessionActions(landline, {
        sessionId: id,
        title,
        name: sessionName,
        isClosed,
        isLimited,
      }).map(({ name, icon: Icon, run, isBad = false }) => (
        <MenuItem key={name} onSelect={run} isBad={isBad}>
          <Icon
            size={16}
            strokeWidth={1.5}
            aria-hidden
            className="mt-0.5 shrink-0 pointer-coarse:mt-0"
          />
          {name}
        </MenuItem>
      ))}
      <SignInItem />
      <MenuLine />
    </>
  );
}

function SignInItem() {
  const { id, name } = useSessionAgent();
  if (!useIsAdmin()) return null;
  return (
    <MenuItem onSelect={() => openSignIn(id)}>
      <LogIn
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className="mt-0.5 shrink-0 pointer-coarse:mt-0"
      />
      {`Sign in to ${name}…`}
    </MenuItem>
  );
}

/** A fallback transport is not an error: only this menu shows it. */
function Transport() {
  const { via } = useConnection();
  if (via !== "sse") return null;
  return (
    <>
      <MenuLine />
      <MenuLabel>Connected by server-sent events, because WebSocket is blocked here.</MenuLabel>
    </>
  );
}
