/** Clauses that store the result, or read or write files. */
const storing =
  /\b(?:into|outfile|dumpfile|load_file|copy|program|pg_read\w*|pg_ls\w*|lo_\w+|dblink\w*|pg_write\w*|for\s+update)\b/i;

/** Whether a text is a single statement that only reads tables, and not a command of the client. */
export function isReadingQuery(text: string): boolean {
  const statement = text.trim().replace(/;$/, "");
  return (
    /^(?:select|show|explain|describe|desc|values|table|with)\b/i.test(statement) &&
    !/[\\;]/.test(statement) &&
    !/\b(?:insert|update|delete|merge|analy[sz]e)\b/i.test(statement) &&
    !storing.test(statement)
  );
}
