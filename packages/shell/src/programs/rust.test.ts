import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("cargo", () => {
  it.each([
    ["cargo --version", "project"],
    ["cargo -vV", "project"],
    ["cargo version", "project"],
    ["cargo build --release", "project"],
    ["cargo b", "project"],
    ["cargo check --workspace --all-targets", "project"],
    ["cargo test -- --nocapture", "project"],
    ["cargo test name -p core", "project"],
    ["cargo test --manifest-path /elsewhere/Cargo.toml", "project deviation"],
    ["cargo --manifest-path=/elsewhere/Cargo.toml test", "project deviation"],
    ["cargo test --manifest /elsewhere/Cargo.toml", "project unknown"],
    [`cargo test --config 'build.rustc-wrapper="./evil"'`, "execute project deviation"],
    [`cargo --config=evil.toml test`, "execute project deviation"],
    ["cargo -Z x test", "project unknown"],
    ["cargo test -Zx", "project unknown"],
    ["cargo -C /elsewhere test", "project deviation"],
    ["cargo +nightly test", "unknown"],
    ["cargo build --target wasm32-unknown-unknown", "project"],
    ["cargo build --target ./evil.json", "execute project deviation"],
    ["cargo build --target-dir /elsewhere", "project write"],
    ["cargo run --release -- --port 3", "project"],
    ["cargo run x --config evil", "project"],
    ["cargo clippy --all-targets -- -D warnings -Aclippy::all", "project"],
    ["cargo clippy -- -C linker=./evil", "execute project deviation"],
    ["cargo clippy -- -Zcodegen-backend=./evil", "execute project deviation"],
    ["cargo clippy --fix", "project write"],
    ["cargo fmt", "project write"],
    ["cargo fmt --check", "project"],
    ["cargo fmt -- --check", "project"],
    ["cargo fmt -- --config-path /elsewhere", "project write unknown"],
    ["cargo tree", "network project write"],
    ["cargo metadata --no-deps", "network project write"],
    ["cargo add serde --features derive", "network project write"],
    ["cargo add --path /elsewhere x", "network project write deviation"],
    ["cargo update", "network project write"],
    ["cargo search x", "network"],
    ["cargo clean", "delete"],
    ["cargo install evil", "execute network system write unknown"],
    ["cargo publish", "execute network project unknown"],
    ["cargo nextest run", "project"],
    ["cargo rustc -- -C linker=./evil", "execute network project unknown"],
    ["cargo no-such-command", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the action", () => {
    expect(widened("cargo test --release name")).toBe("cargo test");
    expect(widened("cargo fmt --check")).toBe("cargo fmt --check");
    expect(widened("cargo fmt")).toBeNull();
    expect(widened("cargo test --manifest-path x")).toBeNull();
    expect(pathsOf("cargo run -- /elsewhere/x")).toEqual(["read /elsewhere/x"]);
  });
});

describe("rustc and similar programs", () => {
  it("names what it explains in the action", () => {
    expect(widened("rustc --explain E0382")).toBe("rustc --explain E0382");
  });

  it.each([
    ["rustc --version", "project"],
    ["rustc -vV", "project"],
    ["rustc --explain E0382", "project"],
    ["rustc --print cfg", "project"],
    ["rustc --print=link-args=/elsewhere", "execute project deviation"],
    ["rustc --explain E0382 a.rs", "project write"],
    ["rustc a.rs -o a", "project write"],
    ["rustc -C opt-level=3 a.rs", "project write"],
    ["rustc -C linker=./evil a.rs", "execute project write deviation"],
    ["rustc -Clinker=./evil a.rs", "execute project write deviation"],
    ["rustc --emit=asm=/elsewhere a.rs", "execute project write deviation"],
    ["rustc -L /elsewhere a.rs", "project write deviation"],
    ["rustc @args", "project write unknown"],
    ["rustfmt --check src/main.rs", "project"],
    ["rustfmt src/main.rs", "project write"],
    ["rustup show", "network project"],
    ["rustup --version", "network project"],
    ["rustup run nightly evil", "execute network project system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});
