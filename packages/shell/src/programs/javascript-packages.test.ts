import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("npm", () => {
  it.each([
    ["npm --version", "read-only"],
    ["npm -v", "read-only"],
    ["npm", "network write"],
    ["npm ls", "network write"],
    ["npm ls --depth=0 --json", "network write"],
    ["npm ls --depth 0 -al", "network write"],
    ["npm list left-pad", "network write"],
    ["npm explain left-pad", "network write"],
    ["npm why left-pad", "network write"],
    ["npm root -g", "network write"],
    ["npm pkg get name version", "network write"],
    ["npm config get registry", "network write"],
    ["npm config list", "environment network write"],
    ["npm config get", "environment network write"],
    ["npm version", "network write"],
    ["npm version patch", "network project write"],
    ["npm test", "project"],
    ["npm t -- --run x", "project"],
    ["npm test --silent", "project"],
    ["npm --silent run build", "project"],
    ["npm run build -w packages/a", "project deviation"],
    ["npm run build --workspace=packages/a", "project deviation"],
    ["npm test --prefix /elsewhere", "project deviation"],
    ["npm --prefix=/elsewhere test", "project deviation"],
    ["npm -C /elsewhere test", "project deviation"],
    ["npm -sC/elsewhere test", "project deviation"],
    ["npm run build --script-shell=./x", "execute project deviation"],
    ["npm test --node-options '--require ./x'", "execute project deviation"],
    ["npm test --userconfig x", "project deviation"],
    ["npm test --pref /elsewhere", "project unknown"],
    ["npm test -- --prefix /elsewhere", "project"],
    ["npm run $SCRIPT", "project unknown"],
    ["npm run", "network project write"],
    ["npm run --color=always build", "project unknown"],
    ["npm get registry", "network write"],
    ["npm get", "environment network write"],
    ["npm docs left-pad", "execute network unknown"],
    ["npm install", "network project write"],
    ["npm i -D left-pad", "network project write"],
    ["npm install -g left-pad", "network project system write"],
    ["npm ci --ignore-scripts", "network project write"],
    ["npm view left-pad versions --json", "network write"],
    ["npm outdated", "network write"],
    ["npm audit", "network write"],
    ["npm audit fix", "network write unknown"],
    ["npm pack --dry-run", "project write"],
    ["npm publish", "network project"],
    ["npm config set script-shell ./x", "execute write unknown"],
    ["npm cache clean --force", "delete network write"],
    ["npm init evil", "execute network write unknown"],
    ["npm explore left-pad -- ls", "execute network unknown"],
    ["npm no-such-command", "network write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the script in the action", () => {
    expect(widened("npm run build -- --watch")).toBe("npm run build");
    expect(widened("npm test")).toBe("npm test");
    expect(widened("npm run build --prefix x")).toBeNull();
    expect(widened("npm install")).toBeNull();
    expect(widened("npm ls left-pad")).toBe("npm ls");
    expect(widened("npm run")).toBeNull();
  });

  it("names places outside the project that a script is given", () => {
    expect(pathsOf("npm run build -- --out=/etc/x ../y src")).toEqual(["read /etc/x", "read ../y"]);
  });
});

describe("programs of packages", () => {
  it.each([
    ["npx tsc --noEmit", "execute network + project"],
    ["npx --yes cowsay@1 hi", "execute network + unknown"],
    ["npx --no-install eslint src", "project + project"],
    ["npx -p evil cowsay", "execute network deviation + unknown"],
    ["npx -c 'rm -rf x'", "execute network + delete"],
    ["npx", "execute network unknown"],
    ["npm exec -- eslint src", "execute network + project"],
    ["npm exec --no -- eslint src", "project + project"],
    ["npm x eslint", "execute network + project"],
    ["pnpm dlx cowsay", "execute network + unknown"],
    ["pnpx cowsay", "execute network + unknown"],
    ["bunx cowsay", "execute network + unknown"],
    ["bun x cowsay", "execute network + unknown"],
    ["pnpm exec eslint .", "project + project"],
    ["yarn exec eslint .", "project + project"],
    ["yarn dlx cowsay", "execute network project write unknown"],
    ["corepack enable", "system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("pnpm, yarn and bun", () => {
  it.each([
    ["pnpm --version", "network project"],
    ["pnpm test", "project"],
    ["pnpm run build --watch", "project"],
    ["pnpm build", "project"],
    ["pnpm -r test", "project"],
    ["pnpm -C ../x test", "project deviation"],
    ["pnpm --dir=../x test", "project deviation"],
    ["pnpm --filter web build", "project deviation"],
    ["pnpm list --depth 0", "project"],
    ["pnpm install --frozen-lockfile", "network project write"],
    ["pnpm add -D x", "network project write"],
    ["pnpm config set x y", "execute network project write unknown"],
    ["yarn --version", "project"],
    ["yarn", "network project write"],
    ["yarn test", "project"],
    ["yarn build --watch", "project"],
    ["yarn run lint", "project"],
    ["yarn --cwd ../x test", "project deviation"],
    ["yarn --cwd=../x test", "project deviation"],
    ["yarn add x", "network project write"],
    ["yarn workspace web build", "project"],
    ["yarn workspace web add evil", "project unknown"],
    ["yarn config set yarnPath ./x", "execute network project write unknown"],
    ["yarn node -e 1", "execute network project write unknown"],
    ["bun --version", "read-only"],
    ["bun test", "project"],
    ["bun test --coverage src/a.test.ts", "project"],
    ["bun run build", "project"],
    ["bun index.ts", "project"],
    ["bun -e 'code'", "execute deviation"],
    ["bun --cwd x run build", "project deviation"],
    ["bun run --preload ./x build", "execute project deviation"],
    ["bun install", "network project write"],
    ["bun", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the script in the action", () => {
    expect(widened("pnpm build")).toBe("pnpm build");
    expect(widened("yarn lint --fix")).toBe("yarn lint");
    expect(widened("yarn workspace web build")).toBe("yarn workspace web build");
    expect(widened("bun src/a.ts")).toBe("bun src/a.ts");
  });
});
