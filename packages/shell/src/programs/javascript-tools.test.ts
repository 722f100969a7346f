import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("runtimes of JavaScript", () => {
  it.each([
    ["node --version", "read-only"],
    ["node -v", "read-only"],
    ["node --check src/a.js", "read-only"],
    ["node -c src/a.js", "read-only"],
    ["node --check", "read-only"],
    ["node --check - x", "unknown"],
    ["node src/a.js --port 3", "project"],
    ["node --enable-source-maps src/a.js", "project"],
    ["node --import ./x.js --check src/a.js", "execute deviation"],
    ["node --import=tsx src/a.ts", "execute project deviation"],
    ["node -r ./x.js src/a.js", "execute project deviation"],
    ["node -r./x.js src/a.js", "execute project deviation"],
    ["node -e 'code'", "execute deviation"],
    ["node -pe 'code'", "execute deviation"],
    ["node --eval=code", "execute deviation"],
    ["node --evil=code", "unknown"],
    ["node", "execute unknown"],
    ["node -", "execute project unknown"],
    ["node --test", "project"],
    ["node --test --test-reporter=spec test/a.test.js", "project"],
    ["node --test --test-reporter ./evil.js", "execute project deviation"],
    ["node --env-file=.env src/a.js", "project deviation"],
    ["node --inspect src/a.js", "network project"],
    ["node inspect src/a.js", "project unknown"],
    ["node --run build", "project"],
    ["deno --version", "read-only"],
    ["deno run -A main.ts", "project"],
    ["deno run https://example.com/x.ts", "execute network deviation"],
    ["deno test", "project"],
    ["deno fmt --check", "write"],
    ["deno fmt", "write"],
    ["deno task build", "project"],
    ["deno eval 'code'", "execute network write unknown"],
    ["tsx src/a.ts", "project"],
    ["tsx -e code", "execute deviation"],
    ["tsx --tsconfig x.json src/a.ts", "project deviation"],
    ["ts-node -r ./x src/a.ts", "execute project deviation"],
    ["ts-node", "execute unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the file in the action", () => {
    expect(widened("node src/a.js --x")).toBe("node src/a.js");
    expect(widened("node --test test/a.js")).toBe("node --test");
    expect(widened("node --run build")).toBe("node build --run");
    expect(widened("node -e 1")).toBeNull();
  });
});

describe("compilers, linters and formatters of JavaScript", () => {
  it.each([
    ["tsc --version", "read-only"],
    ["tsc --noEmit", "project"],
    ["tsc --noEmit -p tsconfig.build.json", "project deviation"],
    ["tsc --noEmit --project=x", "project deviation"],
    ["tsc", "project write"],
    ["tsc --outDir out", "project write"],
    ["tsc -b", "project write"],
    ["tsc --noEmit @args.txt", "project unknown"],
    ["tsc --noEm", "project unknown"],
    ["tsc --noEmit --pretty false", "project"],
    ["tsc --noEmit false --pretty", "project unknown"],
    ["tsc --noEmit false", "project unknown"],
    ["tsc --noEmit FALSE src/a.ts", "project unknown"],
    ["tsc --noEmit --noEmit null", "project unknown"],
    ["tsc -b --noEmit", "project write"],
    ["tsc --noEmit --incremental", "project write"],
    ["tsc --noEmit --watch", "project"],
    ["tsc --noEmit --outDir @args.txt", "project write unknown"],
    ["tsc --showConfig", "project"],
    ["tsc -noEmit", "project unknown"],
    ["vue-tsc --noEmit", "project"],
    ["eslint --version", "read-only"],
    ["eslint_d src", "project"],
    ["eslint src", "project"],
    ["eslint --fix src", "project write"],
    ["eslint -c other.js src", "project deviation"],
    ["eslint -cother.js src", "project deviation"],
    ["eslint --config=other.js src", "project deviation"],
    ["eslint --rulesdir rules src", "project deviation"],
    ["eslint -f stylish src", "project"],
    ["eslint -f ./evil.js src", "execute project deviation"],
    ["eslint --format=evil src", "execute project deviation"],
    ["eslint --plugin evil src", "execute project deviation"],
    ["eslint -o out.txt src", "project write"],
    ["eslint --conf other.js src", "project unknown"],
    ["oxlint --fix", "project write"],
    ["oxlint src", "project"],
    ["prettier --check .", "project"],
    ["prettier --write src", "project write"],
    ["prettier -w src", "project write"],
    ["prettier --plugin=./evil.js src", "execute project deviation"],
    ["prettier --parser ./evil.js src", "execute project deviation"],
    ["prettier --parser=typescript src", "project"],
    ["oxfmt --check", "project"],
    ["oxfmt", "project write"],
    ["oxfmt src", "project write"],
    ["biome check src", "read-only"],
    ["biome lint", "read-only"],
    ["biome lint --changed --since=main", "project"],
    ["biome check --write src", "write"],
    ["biome format --fix", "write"],
    ["biome check --config-path=/elsewhere src", "project deviation"],
    ["biome migrate", "execute write unknown"],
    ["knip", "project"],
    ["knip --fix", "project write"],
    ["esbuild src/a.ts --bundle", "project"],
    ["esbuild src/a.ts --bundle --outfile=out.js", "project write"],
    ["esbuild --serve", "network project"],
    ["webpack", "execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("includes an option that makes it do less in the action", () => {
    expect(widened("tsc --noEmit --strict")).toBe("tsc --noEmit");
    expect(widened("tsc --strict")).toBeNull();
    expect(widened("oxfmt --check src")).toBe("oxfmt --check");
    expect(widened("node --check src/a.js")).toBe("node --check");
    expect(widened("deno fmt --check")).toBe("deno fmt --check");
  });

  it("searches what a checker prints parts of", () => {
    expect(pathsOf("biome check")).toEqual(["search ."]);
    expect(pathsOf("deno fmt --check src")).toEqual(["search src"]);
  });

  it("writes the files that it fixes", () => {
    expect(pathsOf("eslint --fix .vscode/a.js")).toEqual(["write .vscode/a.js"]);
    expect(pathsOf("prettier -w -- -x")).toEqual(["write -x"]);
  });
});

describe("test runners of JavaScript", () => {
  it.each([
    ["vitest --version", "read-only"],
    ["vitest run", "project"],
    ["vitest run src/a.test.ts -t name", "project"],
    ["vitest --reporter=verbose --run", "project"],
    ["vitest run --reporter ./evil.js", "execute project deviation"],
    ["vitest run --environment ./evil.js", "execute project deviation"],
    ["vitest run --pool=./evil.js", "execute project deviation"],
    ["vitest run --coverage --coverage.reporter=evil", "execute project deviation"],
    ["vitest run --environment jsdom", "project"],
    ["vitest run --config other.ts", "project deviation"],
    ["vitest run -r /elsewhere", "project deviation"],
    ["vitest run --root=/elsewhere", "project deviation"],
    ["vitest run -u", "project write"],
    ["vitest run --outputFile=x.json", "project write"],
    ["vitest init browser", "execute network write unknown"],
    ["jest --ci src", "project"],
    ["jest -c other.js", "project deviation"],
    ["jest --rootDir=/elsewhere", "project deviation"],
    ["jest --globalSetup ./evil.js", "execute project deviation"],
    ["jest --env=./evil.js", "execute project deviation"],
    ["jest --coverageReporters=text", "project"],
    ["jest --coverageReporters evil", "execute project deviation"],
    ["jest --version", "project"],
    ["mocha --version", "project"],
    ["mocha test/a.js", "project"],
    ["mocha -r ./evil.js", "execute project deviation"],
    ["mocha -R evil", "execute project deviation"],
    ["playwright test", "project"],
    ["playwright test --config=other.ts", "project deviation"],
    ["playwright install", "execute network system write unknown"],
    ["vite build", "project"],
    ["vite", "network project"],
    ["vite dev --port 3000", "network project"],
    ["turbo run build lint", "project"],
    ["turbo build --filter=web", "project deviation"],
    ["turbo --version", "project"],
    ["nx --version", "project"],
    ["nx run-many -t test", "project"],
    ["nx generate evil:x", "execute network project write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names every task in the action", () => {
    expect(widened("turbo run build lint")).toBe("turbo run build lint");
    expect(widened("nx run-many -t test")).toBe("nx run-many test");
  });
});
