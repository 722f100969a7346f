import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../ui/icon-button.tsx";

export interface AttachButtonProps {
  readonly isDisabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function AttachButton({ isDisabled = false, onFiles }: AttachButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={Paperclip}
        name="Attach files"
        disabled={isDisabled}
        onClick={() => picker.current?.click()}
      />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
