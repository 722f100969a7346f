import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { curl } from "./curl.ts";
import { httpie } from "./httpie.ts";
import { openssl } from "./openssl.ts";
import { prints } from "./spec-builders.ts";
import { sockets } from "./sockets.ts";
import { scp, sftp, ssh } from "./ssh.ts";
import { wget } from "./wget.ts";
import { mention, mentions, rest } from "./word-helpers.ts";

/** Queries other machines, and changes nothing. */
const asks = (options: string, operands = "host*"): ProgramSpec => ({
  effects: "network",
  options,
  operands,
});

/** `dig @server name type +setting`. Names are sent to a server, so they count as hosts. */
const dig: ProgramSpec = {
  effects: "network",
  options: "-46imruv -b= -c= -p= -q= -t= -x= -h -f=read -k=read -y=",
  operands: "text*",
  check: (parsed, record) => {
    for (const word of parsed.operands) {
      const name = word.text.startsWith("@") ? rest(word, 1) : word;
      if (/\.|^localhost$/.test(name.text) && !name.text.startsWith("+")) record.host(name);
    }
    for (const name of parsed.values("-q")) record.host(fixedWord(name));
    if (parsed.has("-f")) record.fail("its queries are in a file");
  },
};

/** Uses keys from the home folder. */
const keyring = (effects: string): ProgramSpec => ({
  effects,
  read(words, record) {
    record.path({ ...fixedWord("~/.gnupg"), isTilde: true }, "read");
    mention(words, record);
    record.fail("what it does with keys is not analysed");
  },
});

export const network: ProgramTable = {
  curl,
  "wget|wget2": wget,
  "http|https|httpie|xh|xhs": httpie,
  ssh,
  scp,
  sftp,
  "ftp|lftp|ncftp|tftp": mentions("execute network"),
  "sshpass|mosh|autossh|ssh-agent|ssh-copy-id|sshfs": mentions("execute network"),
  "ssh-keyscan": asks("-46cDHqTv -f=read -O= -p= -t= -T="),
  "ssh-keygen|ssh-add": mentions("execute system write"),
  ...sockets,
  telnet: asks("-468acdEfFKLrx -b= -e= -k= -l= -n=write -S= -X=", "host text"),
  "ping|ping6|fping": asks(
    "-46aAbBCdDfhHLnOqRrUvV -c= -e= -F= -i= -I= -l= -m= -M= -N= -p= -Q= -s= -S= -t= -T= -w= -W=",
  ),
  "traceroute|traceroute6|tracepath": asks(
    "-46bdDeFInrTUvV -f= -g= -i= -l= -m= -N= -p= -q= -s= -t= -w= -z= --mtu --max-hops= --queries=",
    "host text",
  ),
  mtr: asks(
    "-46bejlnoprTtuvwxz -a= -B= -c= -f= -F=read -G= -i= -I= -L= -m= -P= -Q= -s= -S= -U= -y= -Z= --report --report-wide --no-dns --json --csv --xml --tcp --udp --port= --interval= --report-cycles= --filename=read --help --version",
  ),
  "dig|delv|kdig|drill|dog|doggo": dig,
  host: asks("-aCdilrsTvVwU46 -c= -m= -N= -p= -R= -t= -W=", "host host"),
  nslookup: {
    ...asks(
      "-type= -query= -querytype= -q= -port= -timeout= -retry= -class= -debug -nodebug -sil",
      "host host",
    ),
    style: "dash",
    check: ({ operands }, record) => {
      if (operands.length === 0) record.fail("it reads queries from its input");
    },
  },
  whois: asks("-HIlLmMcxbBGdiKrRQ -h=host -p= --verbose --no-recursion --help --version", "text*"),
  "nmap|masscan|zmap|nikto|hping3|arping": mentions("execute network"),
  openssl,
  "iptables|ip6tables|iptables-save|iptables-restore|nft|ebtables|arptables|pfctl|tc|bridge|route|nmcli|iw|iwconfig|ethtool|networksetup|wg|wg-quick":
    mentions("execute system"),
  "tcpdump|tshark|wireshark|dumpcap|ngrep|mitmproxy|mitmdump|mitmweb":
    mentions("execute network system"),
  "aria2c|axel|yt-dlp|youtube-dl|gallery-dl|transmission-cli|lynx|links|elinks|w3m":
    mentions("execute network write"),
  "grpcurl|websocat|wscat|ab|wrk|hey|k6|siege|vegeta|oha|httping|iperf|iperf3|mail|mailx|mutt|sendmail|msmtp|swaks":
    mentions("network"),
  "ngrok|cloudflared|tailscale|zerotier-cli|openvpn|localtunnel|lt":
    mentions("execute network system"),
  "rclone|s3cmd|restic|borg|rsnapshot|duplicity|syncthing": mentions("execute network write"),
  "gpg|gpg2|gpgv|gpgsm|gpg-agent|gpgconf|gpg-connect-agent": prints(
    "--version",
    keyring("execute"),
  ),
  "age|rage|age-keygen|minisign|signify|cosign": prints("--version", mentions("execute write")),
};
