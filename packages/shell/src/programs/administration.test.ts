import { describe, expect, it } from "vitest";
import { pathsOf, summary } from "../../test/line-summary.ts";

describe("packages of the machine", () => {
  it.each([
    ["apt list --installed", "system"],
    ["apt show vim", "system"],
    ["apt-cache policy vim", "system"],
    ["apt-mark showmanual", "system"],
    ["apt show ./x.deb", "system unknown"],
    ["apt -o Dir=x list", "execute system deviation"],
    ["apt-cache -c x policy", "execute system deviation"],
    ["apt-cache --option=x policy", "execute system deviation"],
    ["apt-get install -y vim", "network system"],
    ["apt-get -y install vim", "network system"],
    ["apt-get install ./x.deb", "network system unknown"],
    ["apt-get -o APT::Update::Pre-Invoke::=id update", "execute network system deviation"],
    ["apt-get download vim", "execute network write unknown"],
    ["dpkg -l", "read-only"],
    ["dpkg -S /bin/ls", "read-only"],
    ["dpkg --print-architecture", "read-only"],
    ["dpkg-query -W -f '${Package}' vim", "read-only"],
    ["dpkg -i x.deb", "execute system unknown"],
    ["dpkg -f x.deb", "execute system unknown"],
    ["dpkg --admindir=x -l", "execute system unknown"],
    ["dpkg --pre-invoke=id -l", "execute system unknown"],
    ["rpm -qa", "read-only"],
    ["rpm -i x.rpm", "execute network system unknown"],
    ["rpm -q --eval '%(id)'", "execute network system unknown"],
    ["pacman -Qi vim", "read-only"],
    ["pacman -Syu", "execute network system unknown"],
    ["pacman -Q --config x", "execute network system unknown"],
    ["dnf list installed", "network"],
    ["dnf install vim", "network system"],
    ["apk info", "network"],
    ["apk add vim", "network system unknown"],
    ["brew --prefix", "read-only"],
    ["brew list", "network"],
    ["brew install x", "network system write"],
    ["brew bundle", "execute network system write unknown"],
    ["snap run x", "execute network system unknown"],
    ["update-alternatives --list editor", "read-only"],
    ["update-alternatives --set editor x", "system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("services and logs", () => {
  it.each([
    ["systemctl", "read-only"],
    ["systemctl status nginx", "read-only"],
    ["systemctl --no-pager status nginx", "read-only"],
    ["systemctl --user list-timers", "read-only"],
    ["systemctl is-active nginx", "read-only"],
    ["systemctl show -p ActiveState nginx", "read-only"],
    ["systemctl show nginx", "environment"],
    ["systemctl show -pEnvironment nginx", "environment"],
    ["systemctl cat nginx", "environment"],
    ["systemctl show-environment", "environment"],
    ["systemctl restart nginx", "system"],
    ["systemctl enable --now nginx", "system"],
    ["systemctl enable ./x.service", "system unknown"],
    ["systemctl status --now nginx", "unknown"],
    ["systemctl edit nginx", "execute system unknown"],
    ["systemctl help nginx", "execute system unknown"],
    ["systemctl -H h.example status", "execute system unknown"],
    ["systemctl --hos=h.example status", "execute system unknown"],
    ["systemctl --root=x status", "execute system unknown"],
    ["systemctl $X nginx", "execute system unknown"],
    ["service nginx status", "execute system unknown"],
    ["journalctl --vacuum-time=1s", "system"],
    ["journalctl --root=x", "unknown"],
    ["dmesg -T", "read-only"],
    ["dmesg -Tc", "system"],
    ["crontab x", "system unknown"],
    ["crontab -e", "execute system unknown"],
    ["loginctl list-sessions", "read-only"],
    ["loginctl terminate-user x", "system unknown"],
    ["timedatectl", "read-only"],
    ["timedatectl set-time x", "system unknown"],
    ["hostnamectl hostname x", "system unknown"],
    ["systemd-analyze verify x", "system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it.each([
    ["journalctl -u nginx -n 50", ["read /var/log/journal"]],
    ["journalctl --file=x --cursor-file=y", ["read x", "write y"]],
    ["crontab -l", ["read /var/spool/cron"]],
    ["dmesg -F .env", ["read .env"]],
    ["systemctl enable ./x.service", ["read ./x.service"]],
    ["systemctl status nginx", ["read /var/log/journal"]],
    ["systemctl status -n 0 nginx", []],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });
});

describe("processes", () => {
  it.each([
    ["kill -l", "read-only"],
    ["kill -l TERM", "read-only"],
    ["kill -0 12", "read-only"],
    ["kill -0 %1", "system"],
    ["kill 12", "system"],
    ["kill -TERM 12", "system"],
    ["kill $PID", "system unknown"],
    ["pkill -f x", "system"],
    ["killall -9 node", "system"],
    ["pgrep -fl node", "read-only"],
    ["pgrep --signal 9 node", "unknown"],
    ["top -bn1", "write"],
    ["top", "write unknown"],
    ["htop", "system unknown"],
    ["fuser README.md", "read-only"],
    ["fuser 3000/tcp", "network"],
    ["fuser -n tcp 3000", "network"],
    ["fuser -vk README.md", "system"],
    ["tmux -V", "read-only"],
    ["tmux ls -F '#(id)'", "execute unknown"],
    ["screen -dm id", "execute unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("the machine", () => {
  it.each([
    ["mount", "read-only"],
    ["mount -t ext4", "read-only"],
    ["mount /dev/sda1 /mnt", "execute system unknown"],
    ["mount --bind a b", "execute system unknown"],
    ["findmnt -J", "read-only"],
    ["lsblk -f", "read-only"],
    ["sysctl -a", "read-only"],
    ["sysctl -n vm.swappiness", "read-only"],
    ["sysctl kernel.hostname=x", "system unknown"],
    ["sysctl kernel/../../../etc/passwd", "system unknown"],
    ["sysctl -p", "system"],
    ["getent passwd", "read-only"],
    ["getent hosts h.example", "network"],
    ["getent -s x passwd", "unknown"],
    ["lspci -nnk", "read-only"],
    ["lspci -q", "unknown"],
    ["nvidia-smi --query-gpu=name --format=csv", "read-only"],
    ["nvidia-smi -r", "unknown"],
    ["ldconfig -p", "read-only"],
    ["ldconfig", "system"],
    ["useradd x", "execute system unknown"],
    ["shutdown now", "execute system unknown"],
    ["visudo", "execute system unknown"],
    ["claude --version", "read-only"],
    ["claude -p x", "execute network unknown"],
    ["codex exec x", "execute network unknown"],
    ["opencode --version", "execute network unknown"],
    ["landline --version", "read-only"],
    ["landline serve", "execute network system unknown"],
    ["pass show x", "environment execute network unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it.each([
    ["getent shadow", ["read /etc/shadow"]],
    ["security find-generic-password -w", ["read ~/Library/Keychains"]],
    ["pass show x", ["read ~/.password-store"]],
    ["mount --bind ../x y", ["read ../x"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });
});
