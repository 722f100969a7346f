import { FilePlus, FileMinus, FilePen, Maximize2 } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { usePreferences } from "../state/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { DiffBody, type DiffBodyProps } from "./diff-body.tsx";
import { ChangeCount } from "./change-count.tsx";
import { useDiffLibrary } from "./diff-library.ts";
import { DiffMenu } from "./diff-menu.tsx";
import { diffModel, type DiffModel } from "./diff-model.ts";
import { FileLink } from "./file-link.tsx";
import { useWidth } from "./use-width.ts";

export interface DiffProps {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
  readonly line?: number | null;
  /** Whether it can be opened in a dialog; false if it is in one. */
  readonly canOpenLarge?: boolean;
}

const LONGEST = 1_000_000;
const SPLIT_WIDTH = 760;
const SPLIT_WIDTH_WANTED = 520;

/** The diff of one file, with three lines of context. */
export const Diff = memo(function Diff(props: DiffProps) {
  const { path, oldText, newText, line = null, canOpenLarge = true } = props;
  const [element, width] = useWidth<HTMLElement>();
  const [isLarge, setLarge] = useState(false);
  const { diff } = usePreferences();
  const refusal = refusalOf(oldText ?? "", newText);
  const model = useModel(oldText ?? "", newText, refusal === null);
  const isSplit =
    diff === "split"
      ? width >= SPLIT_WIDTH_WANTED
      : diff === "auto" && width >= SPLIT_WIDTH && oldText !== null && oldText !== "";
  return (
    <figure
      ref={element}
      className="min-w-0 overflow-hidden rounded-card border border-line bg-page"
    >
      <figcaption className="flex min-w-0 items-center gap-2 border-b border-line bg-sunken py-0.5 pr-1 pl-3 text-sm">
        <ChangeIcon oldText={oldText} newText={newText} />
        <FileLink path={path} line={line} className="min-w-0 grow" />
        {typeof model === "object" ? <ChangeCount {...model} /> : null}
        <DiffMenu path={path} line={line} oldText={oldText} newText={newText} />
        {canOpenLarge && refusal === null ? (
          <IconButton icon={Maximize2} name="Open large" onClick={() => setLarge(true)} />
        ) : null}
      </figcaption>
      {refusal ?? (
        <Body
          model={model}
          path={path}
          oldText={oldText ?? ""}
          newText={newText}
          isSplit={isSplit}
          isNarrow={width < 480}
        />
      )}
      <Dialog title="Change" isOpen={isLarge} onClose={() => setLarge(false)} isWide>
        <Diff {...props} canOpenLarge={false} />
      </Dialog>
    </figure>
  );
});

function ChangeIcon({ oldText, newText }: Pick<DiffProps, "oldText" | "newText">) {
  const isNew = oldText === null || oldText === "";
  const isGone = !isNew && newText === "";
  const Icon = isNew ? FilePlus : isGone ? FileMinus : FilePen;
  return (
    <>
      <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
      <span className="sr-only">{isNew ? "New file" : isGone ? "Emptied" : "Changed"}</span>
    </>
  );
}

interface BodyProps extends Omit<DiffBodyProps, "model"> {
  readonly model: DiffModel | "loading" | "failed";
}

function Body({ model, ...rest }: BodyProps) {
  if (model === "loading") return <Words>Comparing…</Words>;
  if (model === "failed") return <Words>The diff could not be loaded. Reload the page.</Words>;
  return <DiffBody model={model} {...rest} />;
}

function Words({ children }: { readonly children: string }) {
  return <p className="px-3 py-2 text-sm text-soft">{children}</p>;
}

function useModel(
  oldText: string,
  newText: string,
  isWanted: boolean,
): DiffModel | "loading" | "failed" {
  const library = useDiffLibrary();
  return useMemo(() => {
    if (!isWanted) return "loading";
    if (typeof library === "string") return library;
    return diffModel(library.structuredPatch, oldText, newText);
  }, [library, oldText, newText, isWanted]);
}

function refusalOf(oldText: string, newText: string) {
  const { length } = oldText.length > newText.length ? oldText : newText;
  if (length > LONGEST) {
    return <Words>{`Too large to show as a diff: ${(length / 1e6).toFixed(1)} MB.`}</Words>;
  }
  if (oldText.includes("\0") || newText.includes("\0")) return <Words>Binary file.</Words>;
  return oldText === newText ? <Words>No changes.</Words> : null;
}
