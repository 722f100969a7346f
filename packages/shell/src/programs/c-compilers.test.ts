import { describe, expect, it } from "vitest";
import { pathsOf, summary } from "../../test/line-summary.ts";

describe("compilers of C", () => {
  it.each([
    ["gcc --version", "read-only"],
    ["gcc-13 -dumpmachine", "read-only"],
    ["clang -v", "read-only"],
    ["gcc a.c", "write"],
    ["gcc -O2 -Wall -Wextra -Werror=format -std=c11 -g -o hello hello.c -lm -pthread", "write"],
    ["gcc -O -g -W -fPIC -march=native -fsanitize=address,undefined -c a.c", "write"],
    ["gcc -Wl,-rpath,/usr/lib -Iinclude -DX=1 a.c", "write"],
    ["gcc -E a.c", "write"],
    ["gcc -wrapper ./evil a.c", "execute write deviation"],
    ["gcc -specs=./evil a.c", "execute write deviation"],
    ["gcc --specs ./evil a.c", "execute write deviation"],
    ["gcc -fplugin=./evil.so a.c", "execute write deviation"],
    ["gcc -fplugin-arg-x=y a.c", "execute write deviation"],
    ["gcc '-fmodule-mapper=|./evil' a.c", "execute write deviation"],
    ["gcc -B ./evil a.c", "execute write deviation"],
    ["gcc -B./evil a.c", "write unknown"],
    ["gcc -fuse-ld=lld a.c", "write"],
    ["clang -fuse-ld=./evil a.c", "execute write deviation"],
    ["clang -Xclang -load -Xclang ./evil.so a.c", "write unknown"],
    ["clang -mllvm -load=./evil.so a.c", "write unknown"],
    ["gcc -Wl,-plugin,./evil.so a.c", "execute write deviation"],
    ["gcc -Wp,-MD,out a.c", "execute write deviation"],
    ["gcc -Xlinker -plugin a.c", "write unknown"],
    ["gcc @args a.c", "write unknown"],
    ["gcc -o @args a.c", "write unknown"],
    ["gcc -include /elsewhere/x.h a.c", "project write deviation"],
    ["gcc $FLAGS a.c", "write unknown"],
    ["clang -cc1 a.c", "write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names what it reads and writes", () => {
    expect(pathsOf("gcc -O2 -o hello hello.c")).toEqual(["write hello", "read hello.c"]);
    expect(pathsOf("gcc -c -o/elsewhere/x -I../include a.c")).toEqual([
      "write /elsewhere/x",
      "read ../include",
      "read a.c",
    ]);
    expect(pathsOf("gcc -MMD -MF deps a.c")).toEqual(["write deps", "read a.c"]);
  });
});

describe("tools for object files", () => {
  it.each([
    ["nm -D a.o", "read-only"],
    ["nm --plugin ./evil.so a.o", "unknown"],
    ["nm -C --defined-only a.o", "read-only"],
    ["objdump -d a.o", "read-only"],
    ["objdump -dr -M intel a.o", "read-only"],
    ["objdump -S a.o", "unknown"],
    ["objdump -dS a.o", "unknown"],
    ["objdump --sour a.o", "unknown"],
    ["objdump -i", "unknown"],
    ["objdump @args", "unknown"],
    ["objdump -j @args a.o", "unknown"],
    ["nm *", "unknown"],
    ["nm src/*.o", "read-only"],
    ["c++filt _Z1fv", "read-only"],
    ["c++filt -n -s auto _Z1fv", "read-only"],
    ["c++filt @.env", "unknown"],
    ["c++filt -s @.env", "unknown"],
    ["addr2line @args", "unknown"],
    ["size @args", "unknown"],
    ["readelf @args", "unknown"],
    ["readelf -hW a.o", "read-only"],
    ["readelf -wK a.o", "unknown"],
    ["size a.o", "read-only"],
    ["ldd a.out", "execute unknown"],
    ["ldd --version", "read-only"],
    ["ar x a.a", "write unknown"],
    ["gdb a.out", "execute write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the file that they read", () => {
    expect(pathsOf("nm")).toEqual(["read a.out"]);
    expect(pathsOf("readelf -d /elsewhere/x")).toEqual(["read /elsewhere/x"]);
  });
});
