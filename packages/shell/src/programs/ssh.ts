import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { part } from "./word-helpers.ts";

const common = `-46ACqTv -c= -F=load!execute -i=read -J=host -o= -l=`;

/** Settings that neither run a program nor load a file. */
const harmlessSettings = new Set(
  `addressfamily batchmode canonicalizehostname checkhostip ciphers compression connectionattempts connecttimeout
  exitonforwardfailure forwardagent forwardx11 gssapiauthentication hashknownhosts hostkeyalgorithms
  identitiesonly ipqos kbdinteractiveauthentication kexalgorithms loglevel macs numberofpasswordprompts
  passwordauthentication port preferredauthentications pubkeyauthentication requesttty serveralivecountmax
  serveraliveinterval stricthostkeychecking tcpkeepalive user`.split(/\s+/),
);

const runningSettings =
  /^(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|remotecommand|pkcs11provider|securitykeyprovider|xauthlocation|include|match)$/;

/** `-o` sets anything that the configuration file can set, programs included. */
function checkSettings(parsed: ParsedArguments, record: Recorder): void {
  for (const setting of parsed.values("-o")) {
    const [, name = "", value = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/s.exec(setting) ?? [];
    const key = name.toLowerCase();
    if (key === "hostname" || key === "proxyjump") {
      record.deviate(`it goes to ${value}`);
      record.host(fixedWord(value));
    } else if (/^(?:identityfile|certificatefile|userknownhostsfile|controlpath)$/.test(key)) {
      record.path(fixedWord(value), key === "controlpath" ? "write" : "read");
    } else if (!harmlessSettings.has(key)) {
      if (runningSettings.test(key)) record.effect("execute");
      record.fail(`the setting ${setting} may run a program`);
    }
  }
}

/** The program on the other machine is not analysed, so every connection is unknown. */
const connection: ProgramSpec = {
  effects: "execute network",
  options: `${common} -afGgKkMNnstVXxYy -b= -B= -D= -E=write -e= -I=execute -L= -m= -O= -p= -Q= -R= -S=write -W=host -w=`,
  style: "posix",
  operands: "host text*",
  check: (parsed, record) => {
    checkSettings(parsed, record);
    record.fail("what runs on the other machine is not analysed");
  },
};

/** `host:path` and `scp://host/path`; a slash before the colon makes it a local path. */
const isRemote = ({ text }: Word): boolean => /^(?:[^/:]+:|\[[^\]]*\]:|scp:\/\/)/.test(text);

const copy: ProgramSpec = {
  effects: "network",
  options: `${common} -3BOpRr -D=execute -P= -S=execute -X=`,
  operands: (parsed) => {
    const source = parsed.has("-r") ? "search" : "read";
    const kinds = parsed.operands.map((word, index) => {
      if (isRemote(word)) return "host";
      return index === parsed.operands.length - 1 ? "write" : source;
    });
    return kinds.join(" ");
  },
  search: () => ({ hidden: true, ignored: true, links: true, excludes: [], includes: [] }),
  check: (parsed, record) => {
    checkSettings(parsed, record);
    const target = parsed.operands.at(-1);
    if (!target || isRemote(target)) return;
    const remote = parsed.operands.slice(0, -1).filter(isRemote);
    if (remote.length > 0 && parsed.has("-r"))
      record.fail("the other machine decides which files are written");
    for (const { text } of remote) {
      const name = /[^/:]+$/.exec(text)?.[0] ?? "";
      if (/[*?[]/.test(name)) record.fail("the other machine decides which files are written");
      else record.path(part(target, `${target.text}/${name}`), "write");
    }
  },
};

/** Runs commands from its input, including programs of this machine. */
const session: ProgramSpec = {
  effects: "execute network",
  options: `${common} -afNpr -B= -b=read -D=execute -P= -R= -S=execute -s=execute -X=`,
  style: "posix",
  operands: "host text*",
  check: (parsed, record) => {
    checkSettings(parsed, record);
    record.fail("it runs commands from its input");
  },
};

export const ssh = prints("-V", connection);
export const scp = copy;
export const sftp = session;
