import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("java", () => {
  it.each([
    ["java -version", "write"],
    ["java Main x", "project"],
    ["java src/Main.java", "project"],
    ["java -jar dist/a.jar --port 3", "project"],
    ["java -Xmx1g -ea -jar dist/a.jar", "project"],
    ["java -cp /elsewhere Main", "project deviation"],
    ["java -Dx=y Main", "execute project deviation"],
    ["java -XX:OnError=evil Main", "execute project deviation"],
    ["java -javaagent:evil.jar Main", "project unknown"],
    ["java @args Main", "project unknown"],
    ["java -cp @args Main", "project unknown deviation"],
    ["java -jar", "execute project unknown"],
    ["javac -d out src/Main.java", "project write"],
    ["javac -processorpath evil.jar src/Main.java", "execute project write deviation"],
    ["javac @args", "project write unknown"],
    ["javac -J-javaagent:evil.jar Main.java", "project write unknown"],
    ["kotlinc a.kt", "execute write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the class or the file in the action", () => {
    expect(widened("java Main x")).toBe("java Main");
    expect(widened("java -jar dist/a.jar")).toBe("java dist/a.jar");
    expect(pathsOf("java -jar dist/a.jar")).toEqual(["read dist/a.jar"]);
  });
});

describe("interpreters", () => {
  it.each([
    ["lua -v", "read-only"],
    ["lua src/a.lua", "project"],
    ["lua -e 'code'", "execute deviation"],
    ["lua -levil src/a.lua", "execute project deviation"],
    ["lua", "execute unknown"],
    ["luac -p src/a.lua", "read-only"],
    ["luac src/a.lua", "write"],
    ["Rscript --version", "read-only"],
    ["Rscript --vanilla src/a.R", "project"],
    ["Rscript -e 'code'", "execute deviation"],
    ["R CMD check .", "execute project unknown"],
    ["elixir src/a.exs", "project"],
    ["elixir -e 'code'", "execute deviation"],
    ["elixir -pa /elsewhere src/a.exs", "project deviation"],
    ["erl", "execute project unknown"],
    ["runghc src/a.hs", "project"],
    ["julia --project=. src/a.jl", "project deviation"],
    ["julia -e 'code'", "execute deviation"],
    ["julia -qe 'code'", "execute deviation"],
    ["julia -L evil.jl src/a.jl", "execute project deviation"],
    ["ocaml src/a.ml", "project"],
    ["ocaml -init evil.ml src/a.ml", "execute project deviation"],
    ["tclsh src/a.tcl", "project"],
    ["tclsh", "execute unknown"],
    ["osascript -e 'code'", "execute system unknown"],
    ["nim c -r a.nim", "execute project write unknown"],
    ["clojure -M:test", "execute network project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("build tools of other languages", () => {
  it.each([
    ["mix test test/a_test.exs:3", "project"],
    ["mix test -r ./evil.exs", "execute project deviation"],
    ["mix format", "project write"],
    ["mix format --check-formatted", "project"],
    ["mix deps.get", "network project write"],
    ["mix run -e 'code'", "execute network project write unknown"],
    ["mix evil", "project unknown"],
    ["ghc --version", "read-only"],
    ["ghc -O2 Main.hs", "project write"],
    ["ghc -e 'code'", "execute project write deviation"],
    ["ghc -fplugin=Evil Main.hs", "project write unknown"],
    ["cabal test", "project"],
    ["cabal build -w ./evil", "execute project deviation"],
    ["cabal build --project-dir=/elsewhere", "project deviation"],
    ["cabal install evil", "execute network project write unknown"],
    ["stack test", "project"],
    ["stack --stack-yaml /elsewhere/stack.yaml test", "project deviation"],
    ["stack exec evil", "project + unknown"],
    ["dart --version", "read-only"],
    ["dart test", "project"],
    ["dart run bin/a.dart", "project"],
    ["dart format .", "network write"],
    ["dart pub get", "execute network project write unknown"],
    ["flutter --version", "network project write"],
    ["flutter test", "network project write"],
    ["flutter run", "execute network project system write unknown"],
    ["dune build @runtest", "project"],
    ["dune build --root /elsewhere", "project deviation"],
    ["dune exec ./a.exe", "project + project"],
    ["dune fmt", "delete execute project write unknown"],
    ["lein test", "network project write"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the action", () => {
    expect(widened("mix test --only x")).toBe("mix test");
    expect(widened("mix format --check-formatted")).toBe("mix format --check-formatted");
    expect(widened("dune build @runtest")).toBe("dune build @runtest");
    expect(widened("cabal test")).toBe("cabal test");
  });
});
