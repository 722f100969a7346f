import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/summary.ts";

describe("make and its like", () => {
  it.each([
    ["make --version", "free"],
    ["make", "project"],
    ["make build", "project"],
    ["make -j4 test", "project"],
    ["make -n build", "project"],
    ["make -C /elsewhere test", "project detour"],
    ["make -C/elsewhere test", "project detour"],
    ["make -sC /elsewhere test", "project detour"],
    ["make --directory=/elsewhere", "project detour"],
    ["make --dir=/elsewhere", "project unknown"],
    ["make -f other.mk", "project detour"],
    ["make -I other", "project detour"],
    ["make --eval='$(shell evil)'", "execute project detour"],
    ["make CC=./evil", "execute project detour"],
    ["make test SHELL=./evil", "execute project detour"],
    ["make -- CC=./evil", "execute project detour"],
    ["make -t", "project write"],
    ["make $TARGET", "project unknown"],
    ["ninja -C build", "project detour"],
    ["ninja test", "project"],
    ["ninja -t clean", "project unknown"],
    ["just build", "project"],
    ["just -f other build", "project detour"],
    ["just --set cc ./evil build", "execute project detour"],
    ["just cc=./evil build", "project detour"],
    ["just --choose", "execute project"],
    ["task build", "project"],
    ["task -t other.yml", "project detour"],
    ["task build CC=./evil", "project detour"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names every target in the form", () => {
    expect(widened("make test lint")).toBe("make test lint");
    expect(widened("make CC=x")).toBeNull();
    expect(widened("just deploy 'a; b'")).toBe("just deploy a; b");
  });
});

describe("cmake, meson and bazel", () => {
  it.each([
    ["cmake --version", "free"],
    ["cmake --help-command-list", "free"],
    ["cmake -S . -B build", "project write detour"],
    ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "project write detour"],
    ["cmake -B build -D CMAKE_C_COMPILER=./evil", "execute project write detour"],
    ["cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=./evil", "execute project write detour"],
    ["cmake -B build --toolchain ./evil", "execute project write detour"],
    ["cmake --build build", "project"],
    ["cmake --build build -j4 --target all", "project"],
    ["cmake --build build -- --eval=evil", "project unknown"],
    ["cmake --install build --prefix /elsewhere", "project system write"],
    ["cmake -E rm -rf x", "execute project write unknown"],
    ["cmake -P evil.cmake", "execute project write unknown"],
    ["cmake -DX=1 -P evil.cmake", "project write unknown"],
    ["meson setup build", "network project write"],
    ["meson compile -C build", "project detour"],
    ["meson test --wrapper ./evil", "execute project detour"],
    ["bazel test //...", "project"],
    ["bazel run //:x", "delete execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the folder of the build", () => {
    expect(widened("cmake --build build -j4")).toBe("cmake --build build");
    expect(pathsOf("cmake -S . -B /elsewhere")).toEqual(["enter .", "write /elsewhere"]);
  });
});

describe("builds of other platforms", () => {
  it.each([
    ["dotnet --version", "project"],
    ["dotnet test", "project"],
    ["dotnet test --filter X -l trx", "project"],
    ["dotnet test -l evil", "execute project detour"],
    ["dotnet build -p:PostBuildEvent=evil", "execute project detour"],
    ["dotnet build /p:PostBuildEvent=evil", "execute project detour"],
    ["dotnet build @args.rsp", "project unknown"],
    ["dotnet run --project /elsewhere", "project detour"],
    ["dotnet format --verify-no-changes", "project"],
    ["dotnet format", "project write"],
    ["dotnet tool install evil", "execute network project write unknown"],
    ["dotnet evil.dll", "project unknown"],
    ["swift test", "project"],
    ["swift build --package-path /elsewhere", "project detour"],
    ["swift package update", "execute network project write unknown"],
    ["zig version", "free"],
    ["zig build test", "project"],
    ["zig fmt --check src", "free"],
    ["zig fmt src", "write"],
    ["zig run x.zig", "execute network project write unknown"],
    ["xcodebuild test", "execute project unknown"],
    ["shellcheck scripts/build.sh", "free"],
    ["shellcheck -f json -S warning scripts/build.sh", "free"],
    ["shellcheck -x scripts/build.sh", "unknown"],
    ["shellcheck -ax scripts/build.sh", "unknown"],
    ["shellcheck --rcfile /elsewhere scripts/build.sh", "project detour"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the option that keeps files as they are in the form", () => {
    expect(widened("dotnet format --verify-no-changes")).toBe("dotnet format --verify-no-changes");
    expect(widened("zig fmt --check src")).toBe("zig fmt --check");
  });
});
