import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";

/** States, operators and numbers. Any other word of a filter may be a host name, which is resolved. */
const filterWord =
  /^(?:state|exclude|all|connected|synchronized|bucket|big|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|closed|close-wait|last-ack|listening|closing|[sd]port|eq|ne|ge|le|gt|lt|==?|!=|[<>]=?|and|or|not|&&?|\|\|?|!|[()]|:[\w-]+)$/;

const ss: ProgramSpec = {
  options: `-hVnaloempTisbEZzHOQ46Mtudwx0S -r!network -f= -A= -F=read!network -D=write -K!system -N=!system --help --version --numeric
    --resolve!network --all --listening --options --extended --memory --processes --threads --info --tipcinfo --summary
    --tos --cgroup --bpf --events --context --contexts --net=!system --ipv4 --ipv6 --packet --tcp --mptcp --sctp --udp
    --dccp --raw --unix --tipc --vsock --xdp --family= --kill!system --no-header --oneline --inet-sockopt --query=
    --socket= --diag=write --filter=read!network --bound-inactive`,
  operands: "text*",
  check: ({ operands }, record) => {
    const words = operands.flatMap(({ text }) => text.trim().split(/\s+/));
    if (words.some((word) => !filterWord.test(word))) record.effect("network");
  },
};

// macOS takes values after `-p` and `-I`; they count as operands.
const netstat: ProgramSpec = {
  options: `-rigsMvWneopalcCtuUwx6F4ILTZdmq -A= -f= --route --interfaces --groups --statistics --masquerade --verbose --wide
    --numeric --numeric-hosts --numeric-ports --numeric-users --symbolic --extend --programs --timers --listening --all
    --continuous --tcp --udp --raw --unix --inet --inet6 --protocol= --help --version -V -h`,
  operands: "text*",
  check: (parsed, record) => {
    const isLocal = parsed.has(
      "-i",
      "--interfaces",
      "-s",
      "--statistics",
      "--help",
      "-h",
      "-V",
      "--version",
    );
    if (!isLocal && !parsed.has("-n", "--numeric", "--numeric-hosts")) record.effect("network");
  },
};

// `+D folder` and similar options count as names. `-D` writes a cache, and `+m` a list of mounts.
const lsof: ProgramSpec = {
  options: `-?abChHlnNOPQRtUvVwWX -c= -d= -e=name -E -f=? -F=? -g=? -i=? -K=? -L=? -M -o=? -p= -r=? -s=? -S=? -T=? -u= -x=?`,
  operands: "name*",
  check: (parsed, record) => {
    const addresses = [...parsed.values("-i"), ...parsed.operands.map(({ text }) => text)];
    if (addresses.some((text) => /^[46]?\w*@[^\d[]/.test(text))) record.effect("network");
    // With `-t` it shows only process ids.
    if (!parsed.has("-n", "-t", "-v", "-h", "-?")) record.effect("network");
    if (parsed.operands.some(({ text }) => text.startsWith("+m")))
      record.fail("it may write a list of mounts");
  },
};

const ifconfig: ProgramSpec = {
  options: "-a -s -v",
  operands: "text*",
  check: (parsed, record) => {
    if (parsed.operands.length > 1) record.effect("system");
  },
};

const ipOptions = `-4 -6 -0 -o -oneline -br -brief -s -stats -statistics -d -details -j -json -p -pretty -c=? -color=? -h -human
  -human-readable -iec -N -Numeric -t -timestamp -ts -tshort -V -Version -f= -family= -r!network -resolve!network`;
const ipObjects =
  /^(?:a|addr|address|l|link|r|ro|route|n|neigh|neighbor|neighbour|ru|rule|maddr|maddress|tunnel|netns)$/;
const ipFilters =
  /^(?:dev|up|type|scope|table|proto|master|vrf|to|from|label|dynamic|permanent|primary|all|cache|default|stats)$/;
const addressLiteral = /^(?:[\d.]+|[\da-f:]*:[\da-f:.]*)(?:\/\d+)?$/i;

/** The default verb is show. Objects and verbs may be abbreviated, so only the common ones are known. */
const ip: ProgramSpec = {
  options: ipOptions,
  operands: "text*",
  style: "dash-posix",
  check: checkIp,
};

function checkIp(parsed: ParsedArguments, record: Recorder): void {
  const [object, verb, ...rest] = parsed.operands.map((word) =>
    word.known === "fixed" ? word.text : "*",
  );
  if (object === undefined)
    return parsed.has("-V", "-Version") ? undefined : record.fail("no subcommand is given");
  record.verbs.push(object);
  const isShown = verb === undefined || /^(?:show|list|ls|sh|lst)$/.test(verb);
  const isLookup =
    object.startsWith("r") && verb === "get" && rest.every((word) => addressLiteral.test(word));
  if (!ipObjects.test(object) || !(isShown || isLookup)) {
    record.effect(object === "netns" ? "execute" : "system");
    return record.fail("it may change the network of this machine");
  }
  const names = rest.filter((word) => !ipFilters.test(word) && !addressLiteral.test(word));
  if (names.some((word) => !/^[\w@.:-]+$/.test(word)) || names.some((word) => word.startsWith("-")))
    record.fail("its arguments are not known");
}

/** Variants use the same letters differently. These options are common to all, or run a program in one. */
const netcat: ProgramSpec = {
  effects: "network",
  options:
    "-46CDklnNtuUvz -e=execute -c=execute -i= -p= -q= -s= -w= --exec=execute --sh-exec=execute --lua-exec=execute --wait= --listen --udp --verbose",
  operands: "text*",
  check: (parsed, record) => {
    const [first, second] = parsed.operands;
    if (parsed.has("-l", "--listen") || !first) return;
    if (parsed.has("-U")) record.path(first, "write");
    else if (second || !/^\d+$/.test(first.text)) record.host(first);
  },
};

const socatHost = /^(?:tcp|udp|ssl|openssl|sctp)[46]?(?:-connect)?:([^:,]+):/i;
const socatFile = /^(?:file|open|gopen|create|pipe|unix[\w-]*|abstract[\w-]*):([^,]+)/i;

/** Each address may name a program, and its options change what it does. */
const socat: ProgramSpec = {
  effects: "network",
  read(words, record) {
    for (const word of words) socatAddress(word, record);
    record.fail("what socat does with its addresses is not analysed");
  },
};

function socatAddress(word: Word, record: Recorder): void {
  const host = socatHost.exec(word.text)?.[1];
  const file = socatFile.exec(word.text)?.[1];
  if (host !== undefined) record.host({ ...word, text: host });
  else if (file !== undefined) record.path({ ...word, text: file, isTilde: false }, "write");
  else if (/^(?:exec|system|shell):/i.test(word.text)) record.effect("execute");
}

/** Programs that show or use the sockets and interfaces of this machine. */
export const sockets: ProgramTable = {
  ss,
  netstat,
  lsof,
  ifconfig,
  ip,
  arp: {
    options: "-a -n -v -e",
    operands: "text*",
    check: (parsed, record) => {
      if (!parsed.has("-n") || parsed.operands.length > 0) record.effect("network");
    },
  },
  "nc|ncat|netcat": netcat,
  socat,
};
