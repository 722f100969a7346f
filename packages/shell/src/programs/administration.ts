import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { processes } from "./processes.ts";
import { prints } from "./spec-builders.ts";
import { services } from "./services.ts";
import { systemPackages } from "./system-packages.ts";
import { mention, mentions, readsOr } from "./word-helpers.ts";

const shows = (options: string, operands = "text*"): ProgramSpec => ({
  options: `${options} -h -V --help --version`,
  operands,
});

/** Without an operand it lists the mounts. */
const mount = readsOr(
  {
    options: "-l -t= -v -h -V --show-labels --types= --verbose --help --version",
    operands: "",
  },
  ({ operands }) => operands.length === 0,
  "execute system",
);

const sysctlName = /^[\w*-]+(?:\.[\w*-]+)*$/;

/** A name with slashes could be a path outside its folder, and `name=value` sets a value. */
const sysctl: ProgramSpec = {
  options:
    "-aAnNebxXdqo -r= -w!system -p=?!system -f=?!system --all --values --names --ignore --deprecated --quiet --pattern= --write!system --load=?!system --system!system -h -V --help --version",
  operands: "text*",
  check: (parsed, record) => {
    if (parsed.operands.every(({ text }) => sysctlName.test(text))) return;
    record.effect("system");
    record.fail("it may set a value");
  },
};

/** Databases that are local files; others use the network or contain passwords. */
const getent: ProgramSpec = {
  options: "-i --no-idn --help --version",
  operands: "text text*",
  check: (parsed, record) => {
    const [database] = parsed.operands;
    if (/^(?:shadow|gshadow)$/.test(database?.text ?? ""))
      record.impliedPath("/etc/shadow", "read");
    else if (!/^(?:passwd|group|services|protocols|rpc)$/.test(database?.text ?? ""))
      record.effect("network");
  },
};

/** Queries only; options that change settings are not listed. */
const nvidia: ProgramSpec = {
  options: `-Lqxh -i= -d= -f=write -l= --list-gpus --query --xml-format --id= --display= --loop= --filename=write --format=
    --query-gpu= --query-compute-apps= --query-accounted-apps= --help-query-gpu --help-query-compute-apps --help --version`,
  operands: "",
};

/** Shows the user's passwords and keys. */
const vault = (folder: string): ProgramSpec => ({
  effects: "environment execute network",
  read(words, record) {
    record.path({ ...fixedWord(folder), isTilde: true }, "read");
    mention(words, record);
    record.fail("what it does with passwords is not analysed");
  },
});

/** AI agents, which run programs. */
const agent = mentions("execute network");

export const administration: ProgramTable = {
  ...systemPackages,
  ...services,
  ...processes,
  mount,
  findmnt: shows(
    "-AabcDeflnJPrRuUvxk -o= -t= -T= -S= -M= -O= -N= -F=read --all --ascii --bytes --df --fstab --kernel --json --list --pairs --raw --real --notruncate --noheadings --output= --types= --target= --source= --output-all --tree",
  ),
  lsblk: shows(
    "-abdfJlmnOpPrsStzMD -e= -I= -o= -E= -x= -w= --all --bytes --nodeps --discard --fs --json --list --perms --noheadings --output= --output-all --paths --pairs --raw --inverse --scsi --topology --sort= --tree=? --exclude= --include=",
  ),
  "lsmod|lsns|lsipc|ipcs|lsmem|lslocks": {
    operands: "",
    options: "-acemnpqstulJr --all --json --noheadings --help --version",
  },
  lspci: shows("-vnkxDmbt -s= -d= -i=read"),
  lsusb: shows("-vt -s= -d= -D=read"),
  getent,
  sysctl,
  "nvidia-smi": nvidia,
  ldconfig: {
    options: "-p -v -N --print-cache --version -V",
    operands: "",
    check: (parsed, record) => {
      if (!parsed.has("-p", "--print-cache", "--version", "-V")) record.effect("system");
    },
  },
  "umount|swapon|swapoff|losetup|blkid|fdisk|sfdisk|gdisk|parted|mkfs|mkfs.ext4|mkfs.xfs|mke2fs|mkswap|fsck|tune2fs|resize2fs|cryptsetup|lvcreate|lvremove|vgcreate|pvcreate|lvm|mdadm|zfs|zpool|btrfs|diskutil|hdiutil|dmsetup|wipefs|blkdiscard|fstrim|hdparm|smartctl|fusermount|debugfs":
    mentions("execute system write"),
  "useradd|userdel|usermod|adduser|deluser|groupadd|groupdel|groupmod|addgroup|delgroup|gpasswd|passwd|chpasswd|chage|chfn|chsh|newgrp|sg|vipw|vigr|visudo|sudoedit|dscl|sysadminctl|pam-auth-update|faillock|pwconv|newusers":
    mentions("execute system"),
  "shutdown|reboot|halt|poweroff|init|telinit|runlevel|pm-suspend|pmset|caffeinate|kexec|ctrlaltdel|rtcwake":
    mentions("execute system"),
  "modprobe|insmod|rmmod|depmod|dkms|kmod|modinfo|update-initramfs|update-grub|grub-install|grub-mkconfig|efibootmgr|mokutil":
    mentions("execute system"),
  "ufw|firewall-cmd|fail2ban-client|setenforce|semanage|setsebool|restorecon|chcon|apparmor_parser|aa-enforce|aa-complain|auditctl|ausearch|setcap|getcap|spctl|csrutil|tccutil":
    mentions("execute system"),
  "locale-gen|update-locale|hwclock|ntpdate|chronyc|tzselect|loadkeys|setterm|setxkbmap|xrandr|xset|gsettings|dconf|defaults|plutil|scutil|systemsetup|nvram|logger|wall|write|mesg|notify-send|say|wmctrl|xdotool|ydotool":
    mentions("execute system"),
  // Password managers.
  "pass|gopass": vault("~/.password-store"),
  op: vault("~/.config/op"),
  "security|envchain|aws-vault": vault("~/Library/Keychains"),
  "secret-tool|keyring|kwallet-query": vault("~/.local/share/keyrings"),
  "bw|lpass|keepassxc-cli|doppler|infisical|chamber|sops": mentions("environment execute network"),
  "claude|codex": prints("--version", agent),
  "gemini|goose|aider|opencode|crush|qwen|amp|cursor-agent|droid|auggie|kimi|cline|plandex|openhands|llm|ollama|aichat|sgpt|mods|fabric":
    agent,
  landline: prints("--version --help", mentions("execute network system")),
};
