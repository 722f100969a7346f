import { acpMeta } from "./acp-meta.ts";
import { endOfString } from "./json-text.ts";

/** One `session/update` that the gateway sends to an ACP client. */
export interface AcpUpdate {
  readonly sessionId: string;
  /** The id of the subagent's session that the update is for. */
  readonly child: string | null;
  /** The update itself, as JSON. */
  readonly text: string;
  /**
   * The sequence number of its event; null if more updates of the event follow. A client that received only a part of
   * them resumes before the event.
   */
  readonly cursor: number | null;
}

/** What a program between the gateway and a client must know about an update. */
export interface AcpUpdatePlace {
  /** The session in the gateway, also for updates of its subagents. */
  readonly sessionId: string;
  readonly cursor: number | null;
  /** Whether more updates of the same event follow. */
  readonly hasMore: boolean;
}

const BEGINNING = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":';
const META = ',"_meta":{';

export function writeAcpUpdate({ sessionId, child, text, cursor }: AcpUpdate): string {
  const last = cursor === null ? `"${acpMeta.more}":true` : `"${acpMeta.cursor}":${cursor}`;
  const parent = child === null ? "" : `"${acpMeta.session}":${JSON.stringify(sessionId)},`;
  return `${BEGINNING}${JSON.stringify(child ?? sessionId)},"update":${text}${META}${parent}${last}}}}`;
}

/** An end of `writeAcpUpdate`. The `_meta` of the update itself is followed by one bracket more. */
const ending = new RegExp(
  `^,"_meta":\\{(?:"${acpMeta.session}":(?<parent>"(?:[^"\\\\]|\\\\.)*"),)?(?:"${acpMeta.cursor}":(?<cursor>\\d+)|(?<more>"${acpMeta.more}":true))\\}\\}\\}$`,
);

/** Reads a line of `writeAcpUpdate` without parsing the update. Returns null for other messages. */
export function readAcpUpdate(line: string): AcpUpdatePlace | null {
  if (!line.startsWith(BEGINNING)) return null;
  const own = line.slice(BEGINNING.length, endOfString(line, BEGINNING.length));
  const { parent, cursor, more } = ending.exec(line.slice(line.lastIndexOf(META)))?.groups ?? {};
  return {
    sessionId: JSON.parse(parent ?? own) as string,
    cursor: cursor === undefined ? null : Number(cursor),
    hasMore: more !== undefined,
  };
}
