import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";

const shows = (options = "", operands = ""): ProgramSpec => ({
  options: `${options} --help --version`,
  operands,
});

/** A word without `+` sets the clock, except with the `-j` of BSD date. */
const date: ProgramSpec = {
  options:
    "-jnRu -d= -f=read -I=? -r=name -v= -s=!system --date= --file=read --iso-8601=? --rfc-3339= --rfc-email --rfc-2822 " +
    "--reference=name --set=!system --utc --universal --debug --resolution --help --version",
  operands: "text*",
  check: (parsed, record) => {
    const isSetting = parsed.operands.some(({ text }) => !text.startsWith("+"));
    if (isSetting && !parsed.has("-j")) record.effect("system");
  },
};

const hostname: ProgramSpec = {
  options:
    "-Isv -F=!system -b!system -a!network -A!network -d!network -f!network -i!network -y!network --alias!network " +
    "--all-fqdns!network --all-ip-addresses --domain!network --fqdn!network --long!network --ip-address!network --short " +
    "--yp!network --nis!network " +
    "--file=!system --help --version",
  operands: "text*",
  check: ({ operands }, record) => {
    if (operands.length > 0) record.effect("system");
  },
};

// `--lookup` resolves host names. One operand is a file, two are `am i`.
const who: ProgramSpec = {
  options:
    "-abdHlmpqrstTuw --all --boot --dead --heading --login --lookup!network --process --count --runlevel --short --time " +
    "--mesg --message --writable --users --help --version",
  operands: ({ operands }) => (operands.length === 1 ? "read" : "text text"),
};

/** Programs that show information about the machine and read no user files. */
export const machine: ProgramTable = {
  date,
  "cal|ncal": shows(
    "-1 -3 -bChjJmNpsSwyeY -A= -B= -d= -H= -n= --months= --one --three --year --monday --sunday --week=?",
    "text*",
  ),
  uname: shows(
    "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system",
  ),
  hostname,
  "whoami|logname|arch|users": shows(),
  hostid: shows(),
  id: shows("-agGnruzZpP --group --groups --name --real --user --zero --context", "text*"),
  groups: shows("", "text*"),
  who,
  w: shows("-hsfiou --no-header --short --from --old-style --ip-addr", "text*"),
  uptime: shows("-ps --pretty --since"),
  free: shows(
    "-bkmghltwv -s= -c= --bytes --kibi --mebi --gibi --tebi --kilo --mega --giga --human --si --lohi --total --wide --seconds= --count= --line",
  ),
  vmstat: shows(
    "-adDfmnstwy -p= -S= --active --forks --slabs --one-header --stats --disk --disk-sum --partition= --unit= --wide --timestamp",
    "text*",
  ),
  nproc: shows("--all --ignore="),
  tty: shows("-s --quiet --silent"),
  // `-m` decompresses every character map with gzip.
  locale: shows("-ack --all-locales --category-name --keyword-name", "text*"),
  getconf: shows("-a -v=", "text name"),
  sw_vers: shows(
    "-productName -productVersion -buildVersion --productName --productVersion --buildVersion",
  ),
  lsb_release: shows("-vidrcas --id --description --release --codename --all --short"),
  lscpu: shows(
    "-abcexyBJ --all --json --parse=? --extended=? --online --offline --bytes --physical --caches=?",
  ),
};
