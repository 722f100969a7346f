import { clsx } from "clsx";
import type { Table, TableRow } from "mdast";
import { ScrollRegion } from "../scroll-region.tsx";
import { Inline } from "./inline.tsx";
import { nodeKey } from "./node-key.ts";

const sides = { left: "text-left", center: "text-center", right: "text-right" } as const;

/** A wide table scrolls inside its region. */
export function MarkdownTable({ node }: { readonly node: Table }) {
  const [head, ...body] = node.children;
  const aligned = (index: number) => sides[node.align?.[index] ?? "left"];
  return (
    <ScrollRegion name="Table">
      <table className="border-collapse text-sm">
        {head ? (
          <thead>
            <tr className="border-b border-line-strong">
              {head.children.map((cell, index) => (
                <th
                  key={nodeKey(head, cell)}
                  scope="col"
                  className={clsx("px-3 py-1.5 font-semibold first:pl-0", aligned(index))}
                >
                  <Inline of={cell} />
                </th>
              ))}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {body.map((row) => (
            <MarkdownRow key={nodeKey(node, row)} row={row} aligned={aligned} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface MarkdownRowProps {
  readonly row: TableRow;
  readonly aligned: (index: number) => string;
}

function MarkdownRow({ row, aligned }: MarkdownRowProps) {
  return (
    <tr className="border-b border-line last:border-0">
      {row.children.map((cell, index) => (
        <td
          key={nodeKey(row, cell)}
          className={clsx(
            "max-w-[48ch] min-w-[6ch] px-3 py-1.5 align-top [overflow-wrap:break-word] first:pl-0",
            aligned(index),
          )}
        >
          <Inline of={cell} />
        </td>
      ))}
    </tr>
  );
}
