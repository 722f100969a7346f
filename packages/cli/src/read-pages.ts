/** One page of a list of the gateway. */
interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** Reads a list page by page, up to the limit. `readPage` gets how many rows are still wanted. */
export async function readPages<Row>(
  limit: number,
  readPage: (cursor: string | undefined, wanted: number) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Row> = await readPage(cursor, limit - found.length);
    found.push(...page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < limit);
  return found.slice(0, limit);
}
