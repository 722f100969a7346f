/** What a sandbox kept a program from. */
export interface Denial {
  /** `missing`: it did not find a file, which may be hidden from it. */
  readonly kind: "read" | "write" | "missing" | "network";
  /** A path as the program named it, or a host; null when it named none. */
  readonly what: string | null;
}

/**
 * What the output of a confined program says it was kept from. Programs say it in their own words, and there is no
 * other sign on Linux: the system tells nobody which call failed. So it is a guess, and a person decides.
 */
export function denialsIn(output: string): Denial[] {
  const found = new Map<string, Denial>();
  for (const line of output.split("\n").slice(-linesMax)) {
    const denial = line.length <= lineLengthMax ? denialOf(line) : null;
    if (denial) found.set(`${denial.kind} ${denial.what}`, denial);
  }
  return [...found.values()];
}

/** Failures are told at the end. */
const linesMax = 200;
const lineLengthMax = 1_000;

function denialOf(line: string): Denial | null {
  for (const { kind, pattern } of patterns) {
    const match = pattern.exec(line);
    if (match) return { kind, what: match.groups?.["what"]?.trim() || null };
  }
  return null;
}

/**
 * The messages of the C library (`cat: X: Permission denied`), of Node (`EROFS: read-only file system, open 'X'`), of Python
 * (`[Errno 30] Read-only file system: 'X'`), of Go and Rust, and those of name look-ups.
 */
const patterns: readonly { readonly kind: Denial["kind"]; readonly pattern: RegExp }[] = [
  { kind: "write", pattern: /\bEROFS: [^']*'(?<what>[^']+)'/ },
  { kind: "write", pattern: /Read-only file system: '(?<what>[^']+)'/ },
  { kind: "write", pattern: /['‘](?<what>[^'’]+)['’]: Read-only file system/ },
  { kind: "write", pattern: /(?:^|[\s:])(?<what>[^\s:'"]+): [Rr]ead-only file system/ },
  { kind: "write", pattern: /[Rr]ead-only file system/ },
  { kind: "read", pattern: /\bEACCES: [^']*'(?<what>[^']+)'/ },
  { kind: "read", pattern: /Permission denied: '(?<what>[^']+)'/ },
  { kind: "read", pattern: /['‘](?<what>[^'’]+)['’]: Permission denied/ },
  { kind: "read", pattern: /(?:^|[\s:])(?<what>[^\s:'"]+): [Pp]ermission denied/ },
  { kind: "missing", pattern: /\bENOENT: [^']*'(?<what>[^']+)'/ },
  { kind: "missing", pattern: /No such file or directory: '(?<what>[^']+)'/ },
  { kind: "missing", pattern: /['‘](?<what>[^'’]+)['’]: No such file or directory/ },
  { kind: "missing", pattern: /(?:^|[\s:])(?<what>[^\s:'"]+): [Nn]o such file or directory/ },
  // dash
  { kind: "write", pattern: /cannot create (?<what>.+): Directory nonexistent/ },
  { kind: "missing", pattern: /cannot open (?<what>.+): No such file$/ },
  { kind: "network", pattern: /Could not resolve (?:host|proxy)(?: name)?:? (?<what>[\w.-]+)/i },
  { kind: "network", pattern: /\b(?:EAI_AGAIN|ENOTFOUND) (?<what>[\w.-]+)/ },
  {
    kind: "network",
    pattern: /Temporary failure (?:in name resolution|resolving '(?<what>[^']+)')/,
  },
  { kind: "network", pattern: /unable to resolve host address [‘'](?<what>[^’']+)/ },
  { kind: "network", pattern: /dial tcp: lookup (?<what>[\w.-]+)/ },
  { kind: "network", pattern: /failed to lookup address information/ },
  { kind: "network", pattern: /Name or service not known/ },
  { kind: "network", pattern: /Network is unreachable|ENETUNREACH/ },
];
