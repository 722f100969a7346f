import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("make and similar programs", () => {
  it.each([
    ["make --version", "read-only"],
    ["make", "project"],
    ["make build", "project"],
    ["make -j4 test", "project"],
    ["make -n build", "project"],
    ["make -C /elsewhere test", "project deviation"],
    ["make -C/elsewhere test", "project deviation"],
    ["make -sC /elsewhere test", "project deviation"],
    ["make --directory=/elsewhere", "project deviation"],
    ["make --dir=/elsewhere", "project unknown"],
    ["make -f other.mk", "project deviation"],
    ["make -I other", "project deviation"],
    ["make --eval='$(shell evil)'", "execute project deviation"],
    ["make CC=./evil", "execute project deviation"],
    ["make test SHELL=./evil", "execute project deviation"],
    ["make -- CC=./evil", "execute project deviation"],
    ["make -t", "project write"],
    ["make $TARGET", "project unknown"],
    ["ninja -C build", "project deviation"],
    ["ninja test", "project"],
    ["ninja -t clean", "project unknown"],
    ["just build", "project"],
    ["just -f other build", "project deviation"],
    ["just --set cc ./evil build", "execute project deviation"],
    ["just cc=./evil build", "project deviation"],
    ["just --choose", "execute project"],
    ["task build", "project"],
    ["task -t other.yml", "project deviation"],
    ["task build CC=./evil", "project deviation"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names every target in the action", () => {
    expect(widened("make test lint")).toBe("make test lint");
    expect(widened("make CC=x")).toBeNull();
    expect(widened("just deploy 'a; b'")).toBe("just deploy a; b");
  });
});

describe("cmake, meson and bazel", () => {
  it.each([
    ["cmake --version", "read-only"],
    ["cmake --help-command-list", "read-only"],
    ["cmake -S . -B build", "project write deviation"],
    ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "project write deviation"],
    ["cmake -B build -D CMAKE_C_COMPILER=./evil", "execute project write deviation"],
    ["cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=./evil", "execute project write deviation"],
    ["cmake -B build --toolchain ./evil", "execute project write deviation"],
    ["cmake --build build", "project"],
    ["cmake --build build -j4 --target all", "project"],
    ["cmake --build build -- --eval=evil", "project unknown"],
    ["cmake --install build --prefix /elsewhere", "project system write"],
    ["cmake -E rm -rf x", "execute project write unknown"],
    ["cmake -P evil.cmake", "execute project write unknown"],
    ["cmake -DX=1 -P evil.cmake", "project write unknown"],
    ["meson setup build", "network project write"],
    ["meson compile -C build", "project deviation"],
    ["meson test --wrapper ./evil", "execute project deviation"],
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
    ["dotnet test -l evil", "execute project deviation"],
    ["dotnet build -p:PostBuildEvent=evil", "execute project deviation"],
    ["dotnet build /p:PostBuildEvent=evil", "execute project deviation"],
    ["dotnet build @args.rsp", "project unknown"],
    ["dotnet run --project /elsewhere", "project deviation"],
    ["dotnet format --verify-no-changes", "project"],
    ["dotnet format", "project write"],
    ["dotnet tool install evil", "execute network project write unknown"],
    ["dotnet evil.dll", "project unknown"],
    ["swift test", "project"],
    ["swift build --package-path /elsewhere", "project deviation"],
    ["swift package update", "execute network project write unknown"],
    ["zig version", "read-only"],
    ["zig build test", "project"],
    ["zig fmt --check src", "read-only"],
    ["zig fmt src", "write"],
    ["zig run x.zig", "execute network project write unknown"],
    ["xcodebuild test", "execute project unknown"],
    ["shellcheck --norc scripts/build.sh", "read-only"],
    ["shellcheck -f json -S warning scripts/build.sh", "project"],
    ["shellcheck -x scripts/build.sh", "unknown"],
    ["shellcheck -ax scripts/build.sh", "unknown"],
    ["shellcheck --rcfile /elsewhere scripts/build.sh", "project deviation"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("includes the read-only option in the action", () => {
    expect(widened("dotnet format --verify-no-changes")).toBe("dotnet format --verify-no-changes");
    expect(widened("zig fmt --check src")).toBe("zig fmt --check");
  });
});
