import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("programs for files", () => {
  it.each([
    ["ls", "read-only"],
    ["ls -la src", "read-only"],
    ["ls -lahtr --color=never src docs", "read-only"],
    ["ls --sort=size --reverse", "read-only"],
    ["ls --sort size", "read-only"],
    ["ls --colo=never", "unknown"],
    ["ls -- -la", "read-only"],
    ["/bin/ls -1", "read-only"],
    ["tree -L 2 -I node_modules", "read-only"],
    ["tree -a --gitignore src", "read-only"],
    ["tree -o out.txt", "write"],
    ["tree -aoout.txt", "write unknown"],
    ["tree -R -L 1", "unknown"],
    ["eza -la --git --tree --level=2 src", "read-only"],
    ["lsd --tree --depth 2", "read-only"],
    ["stat -c '%s %n' README.md", "read-only"],
    ["stat --format=%s README.md", "read-only"],
    ["stat -f %z README.md", "read-only"],
    ["file -b README.md", "read-only"],
    ["file -C -m magic", "unknown"],
    ["file -z a.gz", "unknown"],
    ["file -bz a.gz", "unknown"],
    ["file -f names", "unknown"],
    ["du -sh * ", "read-only"],
    ["du -h --max-depth=1 .", "read-only"],
    ["du --files0-from=names", "unknown"],
    ["df -h .", "read-only"],
    ["readlink -f src", "read-only"],
    ["realpath --relative-to=. src", "read-only"],
    ["basename src/a.ts .ts && dirname src/a.ts", "read-only + read-only"],
    ["md5sum README.md && sha256sum src/a.ts", "read-only + read-only"],
    ["sha256sum -c SUMS", "unknown"],
    ["base64 -d x", "read-only"],
    ["base64 -i in -o out", "write"],
  ])("reads %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["rm -rf dist", "delete"],
    ["rm -- -rf", "delete"],
    ["rm --recursive --force x", "delete"],
    ["rm --recurs x", "unknown"],
    ["unlink x", "delete"],
    ["rmdir -p a/b", "delete"],
    ["shred -u x", "delete"],
    ["cp a b", "write"],
    ["cp -r src copy", "write"],
    ["mv a b", "delete write"],
    ["ln -s a b", "write"],
    ["install -m 755 a bin/a", "write"],
    ["install -s a bin/a", "unknown"],
    ["chmod +x a.sh", "write"],
    ["chmod -x a.sh", "write"],
    ["chown -R me:me .", "write"],
    ["touch a", "write"],
    ["mkdir -p a/b", "write"],
    ["tee -a log", "write"],
    ["truncate -s 0 log", "write"],
    ["dd if=a of=b bs=1M count=1", "write"],
    ["dd if=README.md bs=16 count=1", "read-only"],
    ["dd if=a iflag=fullblock what=ever", "unknown"],
    ["dd if=~root/.bashrc", "unknown"],
    ["dd if=~+/../x", "unknown"],
    ["dd if=~", "unknown"],
    ["dd if=a:~/x", "unknown"],
    ["dd of=~-/x", "write unknown"],
    ["split -l 100 big part-", "write"],
    ["split --filter='gzip > $FILE.gz' big", "execute write deviation"],
    ["csplit big /x/", "write"],
    ["mktemp -d", "write"],
    ["mkfifo pipe", "write"],
    ["mknod x c 1 3", "system write"],
    ["chattr +i x", "system write unknown"],
    ["setfacl -m u:me:r x", "write"],
  ])("asks about %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["rsync -av a/ b/", "write"],
    ["rsync -av --delete a/ b/", "delete write"],
    ["rsync -e 'sh -c x' a b", "execute write deviation"],
    ["rsync -ave 'sh -c x' a b", "execute write deviation"],
    ["rsync --rsh=x a b", "execute write deviation"],
    ["rsync a host:b", "network"],
    ["rsync me@host:b a", "network write"],
    ["rsync rsync://host/module a", "network write"],
    ["rsync --files-from=x a b", "unknown"],
    ["rsync -F a b", "unknown"],
  ])("knows what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["cat a; ls b", ["read a", "name b"]],
    ["ls", ["name ."]],
    ["ls -RL src", ["search src"]],
    ["tree -l src", ["search src"]],
    ["du -shL src", ["search src"]],
    ["cp -t out a b", ["write out", "read a", "read b"]],
    ["cp --target-directory=out a", ["write out", "read a"]],
    ["cp a b out", ["read a", "read b", "write out"]],
    ["cp -a src out", ["search src", "write out"]],
    ["mv a b", ["delete a", "write b", "read a"]],
    ["mv -t out a", ["write out", "delete a", "read a"]],
    ["ln -s ../x/.env", ["read ../x/.env", "write .env"]],
    ["ln -s .env b", ["read .env", "write b"]],
    ["install -d a b", ["write a", "write b"]],
    ["chmod 755 a b", ["write a", "write b"]],
    ["chmod --reference=a b", ["name a", "write b"]],
    ["dd if=.env of=x", ["read .env", "write x"]],
    ["dd if=~/.bashrc", ["read ~/.bashrc"]],
    ["rsync -a src/ out/", ["search src/", "write out/"]],
    ["rsync src", ["name src"]],
    ["tee a b", ["write a", "write b"]],
    ["split big part-", ["read big", "write part-"]],
    ["base64 .env", ["read .env"]],
    ["sum -s .env", ["read .env"]],
    ["base64 -di .env", ["read .env"]],
    ["ls -I x -T y z", ["name x", "name y", "name z"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });

  it("widens only narrow commands that write", () => {
    expect(["mkdir -p a", "touch a/b"].map(widened)).toStrictEqual(["mkdir", "touch"]);
    const others = [
      "rm a",
      "cp a b",
      "mv a b",
      "ln a b",
      "tee a",
      "dd of=x",
      "rsync a b",
      "chmod 1 x",
    ];
    expect(others.map(widened)).toStrictEqual(others.map(() => null));
  });
});
