import { useLandline } from "@landline/client/react";
import { useCallback, type KeyboardEvent, type RefObject } from "react";
import { AttachmentChips } from "../message/attachment-chips.tsx";
import type { Draft } from "../message/draft-storage.ts";
import { newConversation, writeText } from "../message/drafts.ts";
import { MessageField } from "../message/message-field.tsx";
import type { Attachments } from "../message/use-attachments.ts";
import type { SuggestionSource } from "../message/use-suggestions.ts";
import { isComposing, isTouch } from "../ui/input-device.ts";

export interface NewMessageProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly draft: Draft;
  readonly files: Attachments;
  /** The folder whose files can be mentioned. */
  readonly folder: string;
  /** Files are dragged over the page. */
  readonly isOver: boolean;
  /** A start is in progress: new text would not be sent with it. */
  readonly isStarting: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onSend: () => void;
}

/** The first message of a session. Commands are unknown until the agent runs. */
export function NewMessage(props: NewMessageProps) {
  const { draft, files, folder, isStarting } = props;
  const source = useFolderFiles(folder);
  return (
    <>
      <AttachmentChips {...files} field={props.field} />
      <MessageField
        field={props.field}
        text={draft.text}
        mentions={draft.mentions}
        label="What should it do?"
        placeholder={props.isOver ? "Drop files here" : "What should it do?"}
        source={source}
        placement="below"
        rows={3}
        isReadOnly={isStarting}
        onChange={(text, mention) => writeText(newConversation, text, mention)}
        onKeyDown={(event) => {
          if (!isSend(event)) return;
          event.preventDefault();
          props.onSend();
        }}
        onPasteFiles={props.onFiles}
      />
    </>
  );
}

function useFolderFiles(folder: string): SuggestionSource {
  const { api } = useLandline();
  const find = useCallback<SuggestionSource["find"]>(
    // There is no folder to search until the gateway has sent its own.
    async (query, limit) =>
      folder === "" ? { files: [], isCut: false } : api.findFiles({ folder, q: query, limit }),
    [api, folder],
  );
  return { commands: [], folder, find };
}

function isSend({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !isComposing(nativeEvent) && !isTouch();
}
