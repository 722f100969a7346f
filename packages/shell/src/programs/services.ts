import { readCommand } from "../arguments/read-command.ts";
import { optionTable, readOptions } from "../arguments/options.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { mention, mentions } from "./word-helpers.ts";

// Options that connect to another machine by ssh, and `--root` and `--image`, are not listed.
const global = `-h --help --version --system --user -t= --type= --state= --failed -p= --property= -P= -a --all -l --full -r --recursive
  --reverse --after --before --with-dependencies --show-types --value -q --quiet --legend= --no-legend --no-pager
  --no-ask-password -n= --lines= -o= --output= --plain --timestamp= --wait`;

const shows: ProgramSpec = { options: global, operands: "text*" };

/** All properties include variables and credentials of the unit. */
const properties: ProgramSpec = {
  ...shows,
  check: (parsed, record) => {
    const named = parsed.values("-p", "--property", "-P");
    if (named.length === 0 || named.some((name) => /env|cred/i.test(name)))
      record.effect("environment");
  },
};

/** A table of verbs. Other words are unknown and have these effects. */
function verbs(
  options: string,
  known: Readonly<Record<string, ProgramSpec>>,
  others: string,
  bare?: ProgramSpec,
): ProgramSpec {
  const names = new Set(Object.keys(known).flatMap((key) => key.split("|")));
  const otherwise = mentions(others);
  return {
    read(words, record) {
      const { operands, problem } = readOptions(words, optionTable(options, false), "gnu");
      const [verb] = operands;
      if (problem !== null || (verb && !names.has(verb.text))) {
        if (verb?.known === "fixed") record.verbs.push(verb.text);
        return readCommand(otherwise, words, record);
      }
      if (!verb)
        return bare ? readCommand(bare, words, record) : record.fail("no subcommand is given");
      record.verbs.push(verb.text);
      const spec = Object.entries(known).find(([key]) => key.split("|").includes(verb.text))?.[1];
      if (!spec) return;
      const given = words.filter((word) => word !== verb);
      readCommand(spec, given, record);
    },
  };
}

/** It also shows the last lines of the log, unless the option says 0. */
const status: ProgramSpec = {
  ...shows,
  check: (parsed, record) => {
    if (parsed.values("-n", "--lines").at(-1) !== "0")
      record.impliedPath("/var/log/journal", "read");
  },
};

const changeOptions = `${global} -f --force --now --no-block --no-reload --runtime -s= --signal= --kill-whom= --no-wall
  --job-mode=`;

const systemctl = verbs(
  changeOptions,
  {
    status,
    "is-active|is-failed|is-enabled|is-system-running|get-default|list-units|list-unit-files|list-sockets|list-timers|list-jobs|list-dependencies|list-automounts|list-paths|list-machines":
      shows,
    // Units contain environment variables.
    "cat|show-environment": { ...shows, effects: "environment" },
    show: properties,
    "start|stop|restart|reload|try-restart|reload-or-restart|enable|disable|reenable|mask|unmask|kill|daemon-reload|daemon-reexec|reset-failed|isolate|reboot|poweroff|halt|suspend|hibernate|rescue|set-default":
      {
        effects: "system",
        options: changeOptions,
        operands: "text*",
        check: ({ operands }, record) => {
          for (const word of operands.filter(({ text }) => text.includes("/"))) {
            record.path(word, "read");
            record.fail(`${word.text} is a unit file`);
          }
        },
      },
  },
  "execute system",
  shows,
);

const logs: ProgramSpec = {
  options: `-aefkmqrxW -b=? -n=? -o= -p= -S= -t= -T= -u= -U= -g= -N -F= -c= -D=read -i=read --all --boot=? --catalog --no-hostname
    --no-full --full --follow --no-tail --lines=? --output= --output-fields= --utc --priority= --identifier= --unit=
    --user-unit= --grep= --case-sensitive=? --dmesg --quiet --reverse --since= --until= --user --system --no-pager
    --list-boots --header --disk-usage --fields --field= --cursor= --after-cursor= --show-cursor --directory=read --file=read
    --cursor-file=write --merge --facility= --truncate-newline --invocation= --help --version --vacuum-size=!system
    --vacuum-time=!system --vacuum-files=!system --rotate!system --flush!system --sync!system --relinquish-var!system`,
  operands: "text*",
  check: (parsed, record) => {
    // It reads the log of the machine.
    const isOther = parsed.has("--file", "-i", "-D", "--directory", "--help", "--version");
    if (!isOther) record.impliedPath("/var/log/journal", "read");
  },
};

const dmesg: ProgramSpec = {
  options: `-deHJkLPrStTuwWxhV -f= -l= -s= -F=read -K=read -c!system -C!system -D!system -E!system -n=!system --color=? --ctime --decode
    --facility= --level= --follow --follow-new --human --json --kernel --nopager --noescape --notime --raw --reltime
    --show-delta --since= --until= --time-format= --userspace --buffer-size= --file=read --syslog --clear!system
    --read-clear!system --console-off!system --console-on!system --console-level=!system --help --version`,
  operands: "",
};

/** `-l` shows the table, which is outside the project; everything else changes it. */
const crontab: ProgramSpec = {
  read(words, record) {
    const isList = words.length === 1 && words[0]?.text === "-l" && words[0].known === "fixed";
    if (isList) return record.impliedPath("/var/spool/cron", "read");
    record.effect("system");
    if (words.some(({ text }) => /^-.*e/.test(text))) record.effect("execute");
    mention(words, record);
    record.fail("the new crontab is not analysed");
  },
};

/** Programs of systemd that show something without an argument or with these verbs. */
const control = (
  known: string,
  others: Readonly<Record<string, ProgramSpec>> = {},
): ProgramSpec => {
  const list = `${global} -j --json=?`;
  const spec: ProgramSpec = { options: list, operands: "text*" };
  return verbs(list, { [known]: spec, ...others }, "system", spec);
};

/** Services, their logs and times. */
export const services: ProgramTable = {
  systemctl,
  "service|rc-service|rc-update|update-rc.d|invoke-rc.d|initctl|sv|svc|supervisorctl|launchctl|pm2|forever|monit":
    mentions("execute system"),
  journalctl: logs,
  dmesg,
  crontab,
  atq: { options: "-V -q=", operands: "" },
  "atrm|anacron|incrontab|fcrontab": mentions("system"),
  loginctl: control("list-sessions|show-session|list-users|show-user|list-seats|seat-status", {
    "session-status|user-status": status,
  }),
  timedatectl: control("status|show|list-timezones|timesync-status|show-timesync"),
  localectl: control("status|list-locales|list-keymaps"),
  hostnamectl: control("status"),
  "systemd-analyze": control("time|blame|critical-chain"),
  "systemd-detect-virt": {
    options: "-cvqr --container --vm --chroot --private-users --quiet --list --help --version",
    operands: "",
  },
  "systemd-cgls": {
    options: "-alk -u= --all --full --no-pager --unit=? --user-unit=?",
    operands: "name*",
  },
  "busctl|coredumpctl|networkctl|resolvectl|systemd-resolve|bootctl|udevadm|systemd-tmpfiles|systemd-sysusers|systemd-mount|systemd-inhibit|systemd-cat|systemd-notify|homectl|portablectl|oomctl|kernel-install":
    mentions("execute network system"),
};
