import { describe, expect, it } from "vitest";
import { pathsOf, summary } from "../../test/line-summary.ts";

describe("programs for archives", () => {
  it.each([
    ["tar tzf a.tgz", "read-only"],
    ["tar -tvf a.tar", "read-only"],
    ["tar --list --file=a.tar src", "read-only"],
    ["tar -xOf a.tar README.md", "read-only"],
    ["tar xf a.tar --to-stdout", "read-only"],
    ["tar -cf - src", "read-only"],
    ["tar --version", "read-only"],
    ["tar xzf a.tgz", "write unknown"],
    ["tar -x -f a.tar -C out", "write unknown deviation"],
    ["tar czf a.tgz src", "write"],
    ["tar -cz src", "unknown"],
    ["tar rf a.tar src", "write"],
    ["tar --delete -f a.tar x", "write"],
    ["tar -cf a.tar --remove-files src", "delete write"],
    ["tar -t --to-command=./x -f a.tar", "execute deviation"],
    ["tar -tf a.tar -I ./x", "execute deviation"],
    ["tar tIf ./x a.tar", "execute deviation"],
    ["tar -tf a.tar --use-compress-program=./x", "execute deviation"],
    ["tar -tf a.tar --checkpoint=1 --checkpoint-action=exec=./x", "execute deviation"],
    ["tar -tMF ./x -f a.tar", "unknown"],
    ["tar -tF ./x -f a.tar", "execute deviation"],
    ["tar -tf host:a.tar", "execute network"],
    ["tar -tf host:a.tar --rsh-command=./x", "execute network deviation"],
    ["tar -tf ./host:a.tar", "read-only"],
    ["tar -tf host:a.tar --force-local", "read-only"],
    ["tar -tvf a.tar --index-file=x", "write"],
    ["tar -tf a.tar -T names", "unknown"],
    ["tar -tf a.tar --to-comm=./x", "unknown"],
    ["tar -txf a.tar", "unknown"],
    ["tar -df a.tar", "unknown"],
    ["tar -cf - @a.tar", "unknown"],
    ["tar $X", "unknown"],
  ])("knows what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["unzip -l a.zip", "read-only"],
    ["unzip -p a.zip README.md", "read-only"],
    ["unzip -Z1 a.zip", "read-only"],
    ["zipinfo a.zip", "read-only"],
    ["unzip a.zip", "write unknown"],
    ["unzip -qo a.zip -d out", "write unknown"],
    ["unzip -T a.zip", "unknown"],
    ["unzip -:o a.zip", "unknown"],
    ["zip -r a.zip src", "write"],
    ["zip -rm a.zip src", "delete write"],
    ["zip -T a.zip src", "execute write unknown"],
    ["zip -rT -TT './x {}' a.zip src", "execute write unknown"],
    ["zip --unzip-command ./x -r a.zip src", "execute write deviation"],
    ["zip a.zip -@", "write unknown"],
    ["7z l a.7z", "read-only"],
    ["7z l -slt a.7z -- b", "read-only"],
    ["7z t a.7z", "read-only"],
    ["7z h src", "read-only"],
    ["7z l @names", "unknown"],
    ["7z l a.7z -oout", "unknown"],
    ["7z x a.7z -oout", "write unknown"],
    ["7z a a.7z src", "write unknown"],
    ["7z $X a.7z", "unknown"],
    ["cpio -it -F a.cpio", "read-only"],
    ["cpio -i -F a.cpio", "write unknown"],
    ["cpio -it -F host:a", "execute network"],
    ["cpio -o --rsh-command=./x -F host:a", "execute network unknown deviation"],
    ["cpio -p out", "unknown"],
    ["ar t a.a", "read-only"],
    ["ar -tv a.a", "read-only"],
    ["ar p a.a b.o", "read-only"],
    ["ar x a.a", "write unknown"],
    ["ar rcs a.a b.o", "write"],
    ["ar t @names", "unknown"],
    ["ar t a.a *", "unknown"],
    ["ar t --plugin ./x a.a", "unknown"],
  ])("knows what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["gzip -dc a.gz", "read-only"],
    ["gzip -l a.gz && gzip -t a.gz", "read-only + read-only"],
    ["gunzip -c a.gz", "read-only"],
    ["gunzip a.gz", "write"],
    ["gzip", "read-only"],
    ["gzip -9 a", "write"],
    ["gzip --std a", "unknown"],
    [
      "zcat a.gz && bzcat a.bz2 && xzcat a.xz && zstdcat a.zst && lz4cat a.lz4",
      "read-only + read-only + read-only + read-only + read-only",
    ],
    ["bzip2 -k a", "write"],
    ["xz -dk a.xz", "write"],
    ["xz --files=names -dc", "unknown"],
    ["zstd -dc a.zst", "read-only"],
    ["zstd -dc -o b a.zst", "write"],
    ["zstd --rm a", "delete write"],
    ["zstd --filelist names", "unknown"],
    ["lz4 -dc a.lz4", "read-only"],
    ["lz4 -d a.lz4 b", "write"],
    ["lz4 --rm a b", "delete write"],
  ])("knows what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["tar tf a.tar src", ["read a.tar"]],
    ["tar cfC a.tar src .env", ["enter src", "search .env", "write a.tar"]],
    ["tar -xf a.tar -C out", ["enter out", "read a.tar", "write out"]],
    ["tar xf a.tar", ["read a.tar", "write ."]],
    ["tar -c -H .env -f -", ["read .env"]],
    ["unzip -l a.zip b", ["read a.zip"]],
    ["unzip a.zip -d out", ["write out", "read a.zip"]],
    ["zip -r a.zip .env", ["write a.zip", "search .env"]],
    ["7z x a.7z -oout", ["write out", "write a.7z", "write ."]],
    ["7z l a.7z b", ["read a.7z"]],
    ["gzip -c .env", ["read .env"]],
    ["gzip .env", ["write .env", "read .env"]],
    ["zcat -r src", ["search src"]],
    ["zstd -dcT .env", ["read .env"]],
    ["zstd -D .env -dc a", ["read .env", "read a"]],
    ["lz4 a b", ["read a", "write b", "read a", "read b"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });
});
