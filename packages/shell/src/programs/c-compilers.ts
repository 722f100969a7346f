import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  checks,
  only,
  opaque,
  plainValues,
  prints,
  splitAttached,
  withoutArgumentFiles,
} from "./spec-builders.ts";

/** Options of several letters with one dash; the others are one letter followed by a value. */
const wholeOptions = `-E -S -c -v -w -P -C -H -M -MM -MD -MMD -MP -MG -MF=write -MT= -MQ= -MJ=write -ansi -pedantic -pedantic-errors
  -pthread -pipe -shared -static -static-libgcc -static-libstdc++ -static-pie -pie -no-pie -rdynamic -s -nostdlib -nostdinc -nostdinc++
  -nodefaultlibs -nostartfiles -ffreestanding -fsyntax-only -std= --std= -stdlib= -x= -o=write --output=write -isystem=load
  -idirafter=load -iquote=load -include=load -imacros=load -isysroot=load --sysroot=load -specs=execute --specs=execute
  -wrapper=execute -B=execute -T=load -fplugin=execute -fpass-plugin=execute -fuse-ld= -Xlinker=unknown
  -Xassembler=unknown -Xpreprocessor=unknown -Xclang=unknown -mllvm=unknown -load=execute --config=load
  -save-temps=?!write --coverage -arch= -target= --target= -framework= -install_name= -dynamiclib -bundle -ObjC`;

const letters = "IDULlofWmOgF";

/** Options that begin with these letters and only change checks or code generation. */
const plainOptions = checks(
  // `-Wl,`, `-Wa,` and `-Wp,` pass options to the linker, the assembler and the preprocessor.
  plainValues(
    /^(?:(?!l,|a,|p,)[\w+-]+(?:=[\w+-]*)?|l,(?:-rpath,[\w$./-]+|-soname,[\w.-]+|--(?:as-needed|no-undefined|gc-sections)|-z,[a-z]+|-O\d))$/,
    "-W",
  ),
  plainValues(/^(?:no-)?(?!plugin|module-mapper)[A-Za-z\d-]+(?:=[\w,+-]+)?$/, "-f"),
  plainValues(/^[\w.-]+(?:=[\w.+,-]+)?$/, "-m"),
  plainValues(/^(?:\d|s|z|g|fast)$/, "-O"),
  plainValues(/^(?:\d|gdb\d?|dwarf(?:-\d)?|split-dwarf|line-tables-only|z)$/, "-g"),
  plainValues(/^(?:bfd|gold|lld|mold)$/, "-fuse-ld"),
);

/**
 * A source may include any file of this machine, and error messages quote it, so a compilation always needs permission.
 */
const compile: ProgramSpec = {
  effects: "write",
  style: "dash",
  options: `${wholeOptions} -I=read -L=read -F=read -D= -U= -l= -f= -W= -m= -O= -g=`,
  operands: "read*",
  check: plainOptions,
};

const compiler = withoutArgumentFiles({
  ...compile,
  read: (words, record) => {
    // `-O` and `-g` alone have no value; neither has `-W`.
    const plain = words.filter(({ text }) => !/^-[OgW]$/.test(text));
    readCommand(compile, splitAttached(letters, wholeOptions, plain), record);
  },
});

const version =
  "--version -v -dumpversion -dumpfullversion -dumpmachine --help -print-search-dirs -print-sysroot -print-multiarch";

/** Tools of binutils read their operands, and take arguments from `@file`. */
const shows = (options: string, operands = "read*"): ProgramSpec =>
  withoutArgumentFiles({ options: `${options} --help --version`, operands, implied: "read a.out" });

export const cCompilers: ProgramTable = {
  "gcc|g++|cc|c++|clang|clang++|c99|c89|x86_64-linux-gnu-gcc": prints(version, compiler),
  nm: shows(
    `-aACDgjnopPrSuvW --debug-syms --print-file-name --print-armap --demangle=? --no-demangle --dynamic --defined-only --extern-only
     --undefined-only --numeric-sort --no-sort --portability --print-size --reverse-sort --size-sort --special-syms
     --synthetic -B -f= --format= -t= --radix= --with-symbol-versions --without-symbol-versions --no-weak`,
  ),
  // `-S` would print the sources that the debugging information names, wherever they are.
  objdump: shows(
    `-aCdDfgGhHprRstTwxz --archive-headers --demangle=? --disassemble=? --disassemble-all --file-headers --section-headers --headers
     --all-headers --private-headers -P= --private= --reloc --dynamic-reloc --full-contents --syms --dynamic-syms --wide
     --disassemble-zeroes --no-show-raw-insn --show-raw-insn --no-addresses -j= --section= -M= --disassembler-options=
     -m= --architecture= -b= --target= --start-address= --stop-address= -v`,
  ),
  readelf: shows(
    `-ahlSgtesnrudVADIcTW --all --file-header --program-headers --segments --section-headers --sections --section-groups
     --section-details --headers --syms --symbols --dyn-syms --lto-syms --notes --relocs --unwind --dynamic --version-info
     --arch-specific --archive-index --use-dynamic --histogram --wide --demangle=? -C -x= --hex-dump= -p= --string-dump= -R=
     --relocated-dump= -z --decompress --silent-truncation -v -H`,
  ),
  size: shows("-ABGdox --format= --radix= --common -t --totals -f"),
  "c++filt": withoutArgumentFiles(
    only(
      "",
      "-_nip --strip-underscore --no-params --types --no-recurse-limit --format= -s= --help --version",
    ),
  ),
  addr2line: shows(
    "-aCfips -e=read --exe=read -j= --section= --addresses --basenames --functions --inlines --pretty-print --demangle=?",
    "text*",
  ),
  // It runs the loader that the file names.
  ldd: prints("--version --help", opaque("execute")),
  "ld|ld.bfd|ld.gold|ld.lld|lld|mold|as|ranlib|strip|objcopy|dwp|gprof|gcov|lcov|nasm|yasm|tcc|emcc|em++|nvcc|icc|cl|gfortran|gnat|ccache|distcc|sccache|scan-build|bear|clang-tidy|clang-format|clangd|cppcheck|include-what-you-use|gdb|lldb|valgrind|perf|install_name_tool|otool|lipo|pkg-config|dlltool|windres|flex|bison|m4|swig|protoc-gen-go":
    opaque("execute write"),
};
