import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { only, prints } from "./spec-builders.ts";
import { mentions, readsOr } from "./word-helpers.ts";

// A setting of apt can name programs and folders.
const aptOptions = `-o=execute --option=execute -c=execute --config-file=execute -q --quiet --no-color -h --help -v --version`;

/** Names of packages; a path is a package file. */
const packages = (parsed: ParsedArguments, record: Recorder): void => {
  const file = parsed.operands.find(({ text }) => text.includes("/"));
  if (file) {
    record.path(file, "read");
    record.fail(`${file.text} is a package file`);
  }
};

// It may build its cache first, and runs dpkg.
const aptShows: ProgramSpec = {
  effects: "system",
  widenable: true,
  options: `${aptOptions} -a -f -i -n --all-versions --installed --upgradable --upgradeable --manual-versions --verbose --full
    --names-only --no-all-versions --recurse --important --no-pre-depends --no-depends --no-recommends --no-suggests
    --no-breaks --no-conflicts --no-replaces --no-enhances --implicit --generate --no-pager`,
  operands: "text*",
  check: packages,
};

const changeOptions = `${aptOptions} -yqfmdsuVbP --yes --assume-yes --assume-no --no-install-recommends --install-recommends
    --no-install-suggests --install-suggests --reinstall --purge --autoremove --auto-remove --fix-broken --fix-missing
    --simulate --dry-run --just-print --download-only --only-upgrade --no-upgrade --show-upgraded --allow-downgrades
    --allow-unauthenticated --allow-change-held-packages --force-yes --no-remove --with-new-pkgs -t= --target-release=
    --default-release= --show-progress`;

const aptChanges: ProgramSpec = {
  effects: "network system",
  options: changeOptions,
  operands: "text*",
  check: packages,
};

const aptVerbs: Readonly<Record<string, ProgramSpec>> = {
  "install|remove|purge|update|upgrade|dist-upgrade|full-upgrade|autoremove|autopurge|autoclean|clean|build-dep|reinstall|satisfy|check|dselect-upgrade":
    aptChanges,
  "download|source|changelog|edit-sources|indextargets|moo|modernize-sources|modernise-sources|history-undo|history-redo|history-rollback":
    mentions("execute network write"),
};

const apt: ProgramSpec = {
  options: changeOptions,
  subcommands: {
    "list|show|search|policy|depends|rdepends|showsrc|showpkg|why|why-not": aptShows,
    ...aptVerbs,
  },
};

const aptCache: ProgramSpec = {
  options: aptOptions,
  subcommands: {
    "policy|show|search|depends|rdepends|showpkg|showsrc|madison|pkgnames|stats|unmet": aptShows,
    "gencaches|dump|dumpavail|dotty|xvcg": aptShows,
  },
};

const dpkgActions = `-l -L -s -S -p -W -C --list --listfiles --status --search --print-avail --show --get-selections
  --print-architecture --print-foreign-architectures --audit --compare-versions --version --help`;

const dpkg = (more: string): ProgramSpec =>
  readsOr(
    { options: `${dpkgActions} --no-pager ${more}`, operands: "text*" },
    (parsed) => parsed.options.length > 0,
    "execute system",
  );

/** With `-q`, `-i` and `-e` only query a package. */
const rpm = readsOr(
  {
    options:
      "-qailfcdRsv --query --all --info --list --file --configfiles --docfiles --requires --provides --last --changelog",
    operands: "text*",
  },
  (parsed) =>
    parsed.has("-q", "--query") && !parsed.operands.some(({ text }) => text.includes("%")),
  "execute network system",
);

const pacman = readsOr(
  {
    options:
      "-QcdegiklmnoqstuV --query --changelog --deps --explicit --groups --info --list --check --foreign --native --owns --quiet --search --unrequired --upgrades --color= --version",
    operands: "text*",
  },
  (parsed) => parsed.has("-Q", "--query", "-V", "--version"),
  "execute network system",
);

/** Package managers that check the network for updates first. */
const dnf: ProgramSpec = {
  options:
    "-yqvCbh --assumeyes --assumeno --quiet --verbose --cacheonly --nobest --best --version --help --refresh --enablerepo= --disablerepo= --setopt=execute -c=execute --config=execute",
  subcommands: {
    "list|info|search|repolist|repoquery|check-update|provides|whatprovides|deplist|updateinfo":
      only(
        "network",
        "-yqvC --installed --available --upgrades --all --recent --extras --showduplicates --cacheonly",
      ),
    "install|remove|erase|update|upgrade|downgrade|reinstall|autoremove|groupinstall|group|clean|makecache|distro-sync|localinstall|swap|mark|module|history":
      {
        effects: "network system",
        options:
          "-yqv --assumeyes --best --nobest --allowerasing --skip-broken --nogpgcheck --enablerepo= --disablerepo=",
        operands: "text*",
        check: packages,
      },
  },
};

const apk: ProgramSpec = {
  options: "-qv --quiet --verbose --no-network --version --help",
  subcommands: {
    // A missing or outdated package list is downloaded first.
    "info|list|policy|stats|version|search|dot": {
      effects: "network",
      widenable: true,
      options:
        "-aILedPrRtWwqvzxl --all --installed --contents --depends --description --provides --rdepends --size --upgradable --available --origin --quiet --verbose --exact --no-network",
      operands: "text*",
    },
    "add|del|update|upgrade|fix|cache|fetch|verify|audit|index|manifest|convert-db":
      mentions("network system"),
  },
};

const brew: ProgramSpec = {
  subcommands: {
    "list|ls|leaves|deps|uses|info|search|outdated|desc": only(
      "network",
      "-1lrtqv --formula --formulae --cask --casks --versions --full-name --json=? --tree --installed --include-build --recursive --verbose --quiet --pinned --multiple --greedy --eval-all --all --analytics",
    ),
    "install|uninstall|remove|rm|upgrade|update|reinstall|link|unlink|pin|unpin|cleanup|autoremove|fetch":
      only(
        "network system write",
        "-fnqvs --force --cask --formula --HEAD --dry-run --quiet --verbose --zap --overwrite --greedy --no-quarantine --build-from-source --force-bottle",
      ),
    "tap|untap|bundle|services|postinstall|migrate|shellenv|config|doctor|edit|create|sh|ruby|test|audit|developer|home|cat|log":
      mentions("execute network system write"),
  },
};

const snap: ProgramSpec = {
  subcommands: {
    "list|info|find|version|services|connections|changes|tasks|interfaces|known|model|whoami|warnings":
      only("network", "--all --color= --unicode= --verbose --last= --abs-time"),
    "install|remove|refresh|revert|enable|disable|start|stop|restart|connect|disconnect|set|unset|alias|unalias|download|login|logout|ack|try|switch|pack|run|abort|save|restore|forget|get":
      mentions("execute network system"),
  },
};

/** Package managers of the system. */
export const systemPackages: ProgramTable = {
  apt: prints("--version -v --help -h", apt),
  "apt-get|aptitude|nala": prints("--version -v --help -h", {
    options: changeOptions,
    subcommands: aptVerbs,
  }),
  "apt-cache": prints("--version -v --help -h", aptCache),
  "apt-mark": {
    subcommands: {
      "showauto|showmanual|showhold|showinstall|showremove|showpurge|minimize-manual|auto|manual|hold|unhold|install|remove|purge":
        only("system"),
    },
  },
  "apt-key|apt-file|apt-config|apt-listchanges|add-apt-repository|software-properties-gtk|unattended-upgrade|debconf-set-selections|dpkg-reconfigure|dpkg-divert|dpkg-statoverride|dpkg-buildpackage|debuild":
    mentions("execute network system"),
  dpkg: dpkg(""),
  "dpkg-query": dpkg("-f= --showformat="),
  "dpkg-deb|rpm2cpio|rpmbuild|alien": mentions("execute write"),
  rpm: prints("--version", rpm),
  pacman,
  "yum|dnf|microdnf": prints("--version --help -h", dnf),
  apk: prints("--version --help -h", apk),
  brew: prints(
    "--version -v --prefix --cellar --repository --repo --caskroom --cache --help -h",
    brew,
    "",
  ),
  snap: prints("--version --help -h", snap),
  "zypper|flatpak|yay|paru|port|pkg|pkgin|emerge|xbps-install|xbps-remove|xbps-query|eopkg|choco|winget|scoop|mas|opkg|swupd|tdnf|rpm-ostree|transactional-update|fwupdmgr|update-manager":
    mentions("execute network system"),
  "update-alternatives": readsOr(
    {
      options: "--list --display --query --get-selections --version --help --verbose --quiet",
      operands: "text",
    },
    (parsed) => parsed.options.length > 0,
    "system",
  ),
};
