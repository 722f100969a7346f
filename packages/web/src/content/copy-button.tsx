import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { copyText, type CopiedText } from "./copy-text.ts";

export interface CopyButtonProps {
  readonly text: CopiedText;
  /** The label, such as "Copy code". */
  readonly name?: string;
  readonly className?: string;
}

const shownMs = 1_500;

export function CopyButton({ text, name = "Copy", className }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => setCopied(await runCommand(copyText(text)));
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      name={isCopied ? "Copied" : name}
      onClick={() => void copy()}
      {...(className === undefined ? {} : { className })}
    />
  );
}
