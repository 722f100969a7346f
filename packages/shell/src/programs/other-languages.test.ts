import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/summary.ts";

describe("java", () => {
  it.each([
    ["java -version", "write"],
    ["java Main x", "project"],
    ["java src/Main.java", "project"],
    ["java -jar dist/a.jar --port 3", "project"],
    ["java -Xmx1g -ea -jar dist/a.jar", "project"],
    ["java -cp /elsewhere Main", "project detour"],
    ["java -Dx=y Main", "execute project detour"],
    ["java -XX:OnError=evil Main", "execute project detour"],
    ["java -javaagent:evil.jar Main", "project unknown"],
    ["java @args Main", "project unknown"],
    ["java -cp @args Main", "project unknown detour"],
    ["java -jar", "execute project unknown"],
    ["javac -d out src/Main.java", "project write"],
    ["javac -processorpath evil.jar src/Main.java", "execute project write detour"],
    ["javac @args", "project write unknown"],
    ["javac -J-javaagent:evil.jar Main.java", "project write unknown"],
    ["kotlinc a.kt", "execute write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the class or the file in the form", () => {
    expect(widened("java Main x")).toBe("java Main");
    expect(widened("java -jar dist/a.jar")).toBe("java dist/a.jar");
    expect(pathsOf("java -jar dist/a.jar")).toEqual(["read dist/a.jar"]);
  });
});

describe("interpreters", () => {
  it.each([
    ["lua -v", "free"],
    ["lua src/a.lua", "project"],
    ["lua -e 'code'", "execute detour"],
    ["lua -levil src/a.lua", "execute project detour"],
    ["lua", "execute unknown"],
    ["luac -p src/a.lua", "free"],
    ["luac src/a.lua", "write"],
    ["Rscript --version", "free"],
    ["Rscript --vanilla src/a.R", "project"],
    ["Rscript -e 'code'", "execute detour"],
    ["R CMD check .", "execute project unknown"],
    ["elixir src/a.exs", "project"],
    ["elixir -e 'code'", "execute detour"],
    ["elixir -pa /elsewhere src/a.exs", "project detour"],
    ["erl", "execute project unknown"],
    ["runghc src/a.hs", "project"],
    ["julia --project=. src/a.jl", "project detour"],
    ["julia -e 'code'", "execute detour"],
    ["julia -qe 'code'", "execute detour"],
    ["julia -L evil.jl src/a.jl", "execute project detour"],
    ["ocaml src/a.ml", "project"],
    ["ocaml -init evil.ml src/a.ml", "execute project detour"],
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
    ["mix test -r ./evil.exs", "execute project detour"],
    ["mix format", "project write"],
    ["mix format --check-formatted", "project"],
    ["mix deps.get", "network project write"],
    ["mix run -e 'code'", "execute network project write unknown"],
    ["mix evil", "project unknown"],
    ["ghc --version", "free"],
    ["ghc -O2 Main.hs", "project write"],
    ["ghc -e 'code'", "execute project write detour"],
    ["ghc -fplugin=Evil Main.hs", "project write unknown"],
    ["cabal test", "project"],
    ["cabal build -w ./evil", "execute project detour"],
    ["cabal build --project-dir=/elsewhere", "project detour"],
    ["cabal install evil", "execute network project write unknown"],
    ["stack test", "project"],
    ["stack --stack-yaml /elsewhere/stack.yaml test", "project detour"],
    ["stack exec evil", "project + unknown"],
    ["dart --version", "free"],
    ["dart test", "project"],
    ["dart run bin/a.dart", "project"],
    ["dart format .", "network write"],
    ["dart pub get", "execute network project write unknown"],
    ["flutter --version", "network project write"],
    ["flutter test", "network project write"],
    ["flutter run", "execute network project system write unknown"],
    ["dune build @runtest", "project"],
    ["dune build --root /elsewhere", "project detour"],
    ["dune exec ./a.exe", "project + project"],
    ["dune fmt", "delete execute project write unknown"],
    ["lein test", "network project write"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the form", () => {
    expect(widened("mix test --only x")).toBe("mix test");
    expect(widened("mix format --check-formatted")).toBe("mix format --check-formatted");
    expect(widened("dune build @runtest")).toBe("dune build @runtest");
    expect(widened("cabal test")).toBe("cabal test");
  });
});
