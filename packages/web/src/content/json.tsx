import { blobOf } from "@landline/protocol";
import { memo, useState } from "react";
import { BlobText } from "./blob-text.tsx";
import { CopyButton } from "./copy-button.tsx";
import { JsonLine } from "./json-line.tsx";
import { entriesOf, type JsonEntry } from "./json-entries.ts";
import { VisibleText } from "./visible-text.tsx";

export interface JsonProps {
  readonly value: unknown;
}

/** A value as a tree; only open nodes are rendered. */
export const Json = memo(function Json({ value }: JsonProps) {
  return (
    <div className="relative min-w-0 rounded-card border border-line bg-sunken">
      <CopyButton
        text={() => JSON.stringify(value, null, 2) ?? "undefined"}
        name="Copy JSON"
        className="absolute top-0 right-0"
      />
      <div className="overflow-x-auto py-1.5 pr-8 pl-2 font-mono text-sm">
        <JsonValue value={value} depth={0} />
      </div>
    </div>
  );
});

interface JsonValueProps {
  readonly value: unknown;
  readonly depth: number;
  readonly name?: string;
}

/** How many levels are open initially. */
const openDepth = 2;
const openEntries = 20;
const entriesAtOnce = 100;

function JsonValue({ value, depth, name }: JsonValueProps) {
  const entries = entriesOf(value);
  const kept = blobOf(value);
  if (kept) {
    return (
      <JsonLine name={name}>
        <BlobText blob={kept}>{(text) => <JsonLeaf value={text} />}</BlobText>
      </JsonLine>
    );
  }
  if (entries === null || entries.length === 0) {
    return (
      <JsonLine name={name}>
        <JsonLeaf value={value} />
      </JsonLine>
    );
  }
  return <JsonBranch value={value} entries={entries} depth={depth} {...(name ? { name } : {})} />;
}

interface JsonBranchProps extends JsonValueProps {
  readonly entries: readonly JsonEntry[];
}

function JsonBranch({ value, entries, depth, name }: JsonBranchProps) {
  const [isOpen, setOpen] = useState(depth < openDepth && entries.length <= openEntries);
  const [shown, setShown] = useState(entriesAtOnce);
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <div>
      <JsonLine name={name} isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        <span className="text-soft">{kind}</span>
      </JsonLine>
      {isOpen ? (
        <div className="ml-2 border-l border-line pl-2">
          {entries.slice(0, shown).map((entry) => (
            <JsonValue key={entry.name} name={entry.name} value={entry.value} depth={depth + 1} />
          ))}
          {entries.length > shown ? (
            <button
              type="button"
              className="touchable pl-5 text-accent hover:underline"
              onClick={() => setShown(shown + entriesAtOnce)}
            >
              Show {Math.min(entriesAtOnce, entries.length - shown)} more
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

const leafLength = 300;

function JsonLeaf({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === "string" ? JSON.stringify(value) : wordsOf(value);
  const isLong = text.length > leafLength && !isWhole;
  const look = typeof value === "string" ? "code-string" : "code-number";
  return (
    <span className="[overflow-wrap:anywhere] whitespace-pre-wrap">
      <span className={look}>
        <VisibleText text={isLong ? text.slice(0, leafLength) : text} />
      </span>
      {isLong ? (
        <button
          type="button"
          className="touchable pl-1 text-accent hover:underline"
          onClick={() => setWhole(true)}
        >
          Show {text.length - leafLength} more characters
        </button>
      ) : null}
    </span>
  );
}

function wordsOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[]" : "{}";
  return String(value);
}
