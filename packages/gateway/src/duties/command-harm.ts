import { programName } from "./any-command.ts";

/**
 * What a command that starts so can do to whatever is written behind it, where that is no small thing; null for the
 * others. A rule that allows it says so. By names and pairs that are known for it: it is no proof of the opposite.
 */
export function harmOf(words: readonly string[]): string | null {
  const [first = "", second = "", third = ""] = words;
  const name = programName(first);
  return (
    byName.get(name) ??
    byTask.get(`${name} ${second}`) ??
    byTask.get(`${name} ${second} ${third}`) ??
    null
  );
}

/** Allowed for one thing, it would be allowed for everything: what it does is in what follows its name. */
export function isReckless(name: string): boolean {
  return byName.has(name);
}

const deletes = "delete whatever is named after these words";
const overwrites = "overwrite whatever is named after these words";
const sends = "send anything to wherever is written after these words";
const opens = "change who may use whatever is named after these words";
const ends = "end whatever is named after these words";
const changes = "change the system by whatever is written after these words";

const tableOf = (rows: Readonly<Record<string, string>>, separator: string) =>
  new Map(
    Object.entries(rows).flatMap(([harm, names]) =>
      names.split(separator).map((name) => [name, harm] as const),
    ),
  );

const byName: ReadonlyMap<string, string> = tableOf(
  {
    [deletes]: "rm rmdir unlink shred truncate",
    [overwrites]: "mv cp ln dd tee install patch mkfs fdisk parted",
    [sends]: "curl wget scp sftp ftp nc ncat socat telnet",
    [opens]: "chmod chown chgrp",
    [ends]: "kill pkill killall shutdown reboot halt",
    [changes]: "mount umount useradd userdel usermod passwd",
  },
  " ",
);

const byTask: ReadonlyMap<string, string> = tableOf(
  {
    [deletes]:
      "git clean|git rm|git stash drop|git stash clear|git worktree remove|kubectl delete|oc delete|helm uninstall|" +
      "helm delete|terraform destroy|tofu destroy|aws s3 rm|aws s3 rb|gh repo delete|gh release delete",
    [overwrites]: "git reset|git checkout|git restore|git switch|git apply|git am",
    [sends]:
      "git push|npm publish|pnpm publish|yarn publish|yarn npm|bun publish|cargo publish|gem push|poetry publish|" +
      "uv publish|gh api|gh release create|aws s3 cp|aws s3 sync|aws s3 mv",
    [changes]:
      "kubectl apply|oc apply|helm install|helm upgrade|terraform apply|tofu apply|systemctl stop|systemctl disable|" +
      "systemctl start|systemctl restart|apt install|apt remove|apt-get install|apt-get remove|dnf install|dnf remove",
  },
  "|",
);
