import { Ellipsis } from "lucide-react";
import { copyText } from "../content/copy-text.ts";
import { runCommand } from "../state/run-command.ts";
import { setPreferences, usePreferences } from "../state/preferences.ts";
import { useView } from "../state/session.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuChoices, MenuItem, MenuLine } from "../ui/menu.tsx";
import { diffLibrary } from "./diff-library.ts";
import { editorLink } from "./editor-link.ts";

export interface DiffMenuProps {
  readonly path: string;
  readonly line: number | null;
  readonly oldText: string | null;
  readonly newText: string;
}

const layouts = [
  { value: "auto", name: "Automatic" },
  { value: "inline", name: "Unified" },
  { value: "split", name: "Side by side" },
] as const;

/** The actions on a diff. */
export function DiffMenu({ path, line, oldText, newText }: DiffMenuProps) {
  const cwd = useView((view) => view.session.cwd, "");
  const { editor, diff } = usePreferences();
  const href = editorLink(editor, { path, line }, cwd);
  const choose = (value: string) => {
    const layout = layouts.find((choice) => choice.value === value);
    if (layout) setPreferences({ diff: layout.value });
  };
  return (
    <Menu trigger={<IconButton icon={Ellipsis} name="More actions for this change" />} align="end">
      <MenuItem onSelect={() => void runCommand(copyText(newText))}>Copy the new text</MenuItem>
      <MenuItem onSelect={() => void runCommand(copyText(() => patchOf(path, oldText, newText)))}>
        Copy as a patch
      </MenuItem>
      {href === null ? null : (
        <MenuItem onSelect={() => location.assign(href)}>Open in your editor</MenuItem>
      )}
      <MenuLine />
      <MenuChoices label="Old and new" value={diff} choices={layouts} onChoose={choose} />
    </Menu>
  );
}

async function patchOf(path: string, oldText: string | null, newText: string): Promise<string> {
  const { createTwoFilesPatch } = await diffLibrary();
  const name = path.replace(/^\/+/u, "");
  const oldName = oldText === null ? "/dev/null" : `a/${name}`;
  const patch = createTwoFilesPatch(oldName, `b/${name}`, oldText ?? "", newText, "", "", {
    context: 3,
    timeout: 1_000,
  });
  if (patch === undefined) throw new Error("The change is too large for a patch.");
  return patch;
}
