import type { Block } from "@landline/protocol";
import { useMemo } from "react";
import { Blocks } from "../../content/blocks.tsx";
import { useDisclosure } from "../../tools/use-disclosure.ts";
import { Button } from "../../ui/button.tsx";
import { promptPreview } from "./prompt-preview.ts";

export interface PromptBlocksProps {
  readonly blocks: readonly Block[];
  /** The key that remembers whether all of it is shown. */
  readonly disclosureKey: string;
}

/** A prompt. A long one is collapsed. */
export function PromptBlocks({ blocks, disclosureKey }: PromptBlocksProps) {
  const [isWhole, setWhole] = useDisclosure(disclosureKey, false);
  const beginning = useMemo(() => promptPreview(blocks), [blocks]);
  if (beginning === null) return <Blocks blocks={blocks} />;
  return (
    <>
      <Blocks blocks={isWhole ? blocks : beginning} />
      <Button
        variant="quiet"
        className="mt-1 -ml-3 text-xs"
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? "Show less" : "Show all"}
      </Button>
    </>
  );
}
