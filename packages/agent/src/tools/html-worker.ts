import { parentPort, workerData } from "node:worker_threads";
import TurndownService from "turndown";

export interface PageJob {
  html: string;
  format: "markdown" | "text";
  /** The base of relative links. */
  base: string;
}

interface PageElement {
  readonly nodeName: string;
  readonly children: ArrayLike<PageElement>;
  getAttribute(name: string): string | null;
}

/** Elements that are removed. */
const unread = ["script", "style", "noscript", "iframe", "template", "object", "canvas"] as const;

const { html, format, base } = workerData as PageJob;
const port = parentPort;
if (!port) throw new Error("This file is started as a thread by html-to-text.ts.");
port.postMessage(convert());

function elementOf(node: unknown): PageElement {
  return node as PageElement;
}

function convert(): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "---",
  });
  service.remove([...unread]);
  service.remove((node) => node.nodeName.toLowerCase() === "svg");
  addTables(service);
  if (format === "markdown") addLinks(service);
  else dropMarks(service);
  return service
    .turndown(html)
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n");
}

function addLinks(service: TurndownService): void {
  service.addRule("links", {
    filter: "a",
    replacement(content, node) {
      const text = content.trim();
      const href = elementOf(node).getAttribute("href") ?? "";
      if (text === "" || href === "" || /^(?:#|javascript:)/i.test(href)) return content;
      return `[${text}](${URL.parse(href, base)?.href ?? href})`;
    },
  });
}

/** Plain text has no markup and needs no escaping. */
function dropMarks(service: TurndownService): void {
  service.escape = (text) => text;
  service.addRule("plain", {
    filter: ["a", "em", "i", "strong", "b", "code", "del", "span"],
    replacement: (content) => content,
  });
  service.addRule("headings", {
    filter: ["h1", "h2", "h3", "h4", "h5", "h6"],
    replacement: (content) => `\n\n${content}\n\n`,
  });
  service.addRule("pictures", {
    filter: "img",
    replacement: (_, node) => elementOf(node).getAttribute("alt") ?? "",
  });
}

function addTables(service: TurndownService): void {
  service.addRule("cells", {
    filter: ["th", "td"],
    replacement: (content) => `| ${content.trim().replaceAll(/\s*\n\s*/g, " ")} `,
  });
  service.addRule("rows", {
    filter: "tr",
    replacement(content, node) {
      if (content.trim() === "") return "";
      const cells = Array.from(elementOf(node).children).filter((cell) =>
        /^T[HD]$/.test(cell.nodeName),
      );
      const isHead = cells.length > 0 && cells.every((cell) => cell.nodeName === "TH");
      return `\n${content}|${isHead ? `\n${"| --- ".repeat(cells.length)}|` : ""}`;
    },
  });
  service.addRule("tables", { filter: "table", replacement: (content) => `\n\n${content}\n\n` });
}
