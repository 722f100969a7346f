import { describe, expect, it } from "vitest";
import { pathsOf, summary } from "../../test/summary.ts";

describe("packages of the machine", () => {
  it.each([
    ["apt list --installed", "system"],
    ["apt show vim", "system"],
    ["apt-cache policy vim", "system"],
    ["apt-mark showmanual", "system"],
    ["apt show ./x.deb", "system unknown"],
    ["apt -o Dir=x list", "execute system detour"],
    ["apt-cache -c x policy", "execute system detour"],
    ["apt-cache --option=x policy", "execute system detour"],
    ["apt-get install -y vim", "network system"],
    ["apt-get -y install vim", "network system"],
    ["apt-get install ./x.deb", "network system unknown"],
    ["apt-get -o APT::Update::Pre-Invoke::=id update", "execute network system detour"],
    ["apt-get download vim", "execute network write unknown"],
    ["dpkg -l", "free"],
    ["dpkg -S /bin/ls", "free"],
    ["dpkg --print-architecture", "free"],
    ["dpkg-query -W -f '${Package}' vim", "free"],
    ["dpkg -i x.deb", "execute system unknown"],
    ["dpkg -f x.deb", "execute system unknown"],
    ["dpkg --admindir=x -l", "execute system unknown"],
    ["dpkg --pre-invoke=id -l", "execute system unknown"],
    ["rpm -qa", "free"],
    ["rpm -i x.rpm", "execute network system unknown"],
    ["rpm -q --eval '%(id)'", "execute network system unknown"],
    ["pacman -Qi vim", "free"],
    ["pacman -Syu", "execute network system unknown"],
    ["pacman -Q --config x", "execute network system unknown"],
    ["dnf list installed", "network"],
    ["dnf install vim", "network system"],
    ["apk info", "network"],
    ["apk add vim", "network system unknown"],
    ["brew --prefix", "free"],
    ["brew list", "network"],
    ["brew install x", "network system write"],
    ["brew bundle", "execute network system write unknown"],
    ["snap run x", "execute network system unknown"],
    ["update-alternatives --list editor", "free"],
    ["update-alternatives --set editor x", "system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("services and logs", () => {
  it.each([
    ["systemctl", "free"],
    ["systemctl status nginx", "free"],
    ["systemctl --no-pager status nginx", "free"],
    ["systemctl --user list-timers", "free"],
    ["systemctl is-active nginx", "free"],
    ["systemctl show -p ActiveState nginx", "free"],
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
    ["dmesg -T", "free"],
    ["dmesg -Tc", "system"],
    ["crontab x", "system unknown"],
    ["crontab -e", "execute system unknown"],
    ["loginctl list-sessions", "free"],
    ["loginctl terminate-user x", "system unknown"],
    ["timedatectl", "free"],
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
    ["kill -l", "free"],
    ["kill -l TERM", "free"],
    ["kill -0 12", "free"],
    ["kill -0 %1", "system"],
    ["kill 12", "system"],
    ["kill -TERM 12", "system"],
    ["kill $PID", "system unknown"],
    ["pkill -f x", "system"],
    ["killall -9 node", "system"],
    ["pgrep -fl node", "free"],
    ["pgrep --signal 9 node", "unknown"],
    ["top -bn1", "write"],
    ["top", "write unknown"],
    ["htop", "system unknown"],
    ["fuser README.md", "free"],
    ["fuser 3000/tcp", "network"],
    ["fuser -n tcp 3000", "network"],
    ["fuser -vk README.md", "system"],
    ["tmux -V", "free"],
    ["tmux ls -F '#(id)'", "execute unknown"],
    ["screen -dm id", "execute unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("the machine", () => {
  it.each([
    ["mount", "free"],
    ["mount -t ext4", "free"],
    ["mount /dev/sda1 /mnt", "execute system unknown"],
    ["mount --bind a b", "execute system unknown"],
    ["findmnt -J", "free"],
    ["lsblk -f", "free"],
    ["sysctl -a", "free"],
    ["sysctl -n vm.swappiness", "free"],
    ["sysctl kernel.hostname=x", "system unknown"],
    ["sysctl kernel/../../../etc/passwd", "system unknown"],
    ["sysctl -p", "system"],
    ["getent passwd", "free"],
    ["getent hosts h.example", "network"],
    ["getent -s x passwd", "unknown"],
    ["lspci -nnk", "free"],
    ["lspci -q", "unknown"],
    ["nvidia-smi --query-gpu=name --format=csv", "free"],
    ["nvidia-smi -r", "unknown"],
    ["ldconfig -p", "free"],
    ["ldconfig", "system"],
    ["useradd x", "execute system unknown"],
    ["shutdown now", "execute system unknown"],
    ["visudo", "execute system unknown"],
    ["claude --version", "free"],
    ["claude -p x", "execute network unknown"],
    ["codex exec x", "execute network unknown"],
    ["opencode --version", "execute network unknown"],
    ["landline --version", "free"],
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
