import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("go", () => {
  it.each([
    ["go version", "project"],
    ["go version -m dist/a", "project"],
    ["go help test", "project"],
    ["go build ./...", "project"],
    ["go build -o /elsewhere/x .", "project write"],
    ["go test ./... -run TestMain -v", "project"],
    ["go test -race -count=1 -coverprofile=out ./...", "project write"],
    ["go test -exec ./evil ./...", "execute project deviation"],
    ["go test -exec=./evil ./...", "execute project deviation"],
    ["go test --exec=./evil ./...", "project unknown"],
    ["go test -toolexec ./evil ./...", "execute project deviation"],
    ["go test -C /elsewhere ./...", "project deviation"],
    ["go build -modfile=other.mod", "project deviation"],
    ["go build -overlay other.json", "project deviation"],
    ["go build -mod=mod", "project write"],
    ["go build -mod=vendor", "project"],
    [`go build -ldflags='-s -w -X main.version=1.2'`, "project"],
    [`go build -ldflags='-extld=./evil'`, "execute project deviation"],
    [`go build -gcflags='all=-N -l'`, "project"],
    [`go build -gcflags=-toolexec=x`, "execute project deviation"],
    ["go vet ./...", "project"],
    ["go vet -vettool=./evil ./...", "execute project deviation"],
    ["go run src/main.go -exec x", "project"],
    ["go run -exec ./evil src/main.go", "execute project deviation"],
    ["go run example.com/evil@latest", "execute network project deviation"],
    ["go list ./...", "project"],
    ["go list -m -u all", "network project"],
    ["go generate ./...", "project"],
    ["go mod tidy", "network project write"],
    ["go mod edit -replace=a=/elsewhere", "network project write deviation"],
    ["go get example.com/x@latest", "network project write"],
    ["go install example.com/x@latest", "network project write"],
    ["go fmt ./...", "project write"],
    ["go env", "environment"],
    ["go env -json", "environment"],
    ["go env -w GOFLAGS=-toolexec=./evil", "environment execute"],
    ["go doc -all fmt", "network project"],
    ["go clean -modcache", "delete"],
    ["go tool evil", "execute project unknown"],
    ["go no-such-command", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the action", () => {
    expect(widened("go test ./... -v")).toBe("go test");
    expect(widened("go run src/main.go x")).toBe("go run src/main.go");
    expect(widened("go test -C x")).toBeNull();
    expect(pathsOf("go test /elsewhere/...")).toEqual(["read /elsewhere/..."]);
  });
});

describe("tools of Go", () => {
  it.each([
    ["gofmt -l src", "read-only"],
    ["gofmt -d -s src/main.go", "read-only"],
    ["gofmt -w src/main.go", "write"],
    ["gofmt -l -w .", "write"],
    ["gofmt --w src", "unknown"],
    ["gofmt -lw src", "unknown"],
    ["gofmt -cpuprofile=x src", "write"],
    ["golangci-lint run", "project"],
    ["golangci-lint run --fix", "project write"],
    ["golangci-lint run -c other.yml", "project deviation"],
    ["golangci-lint custom", "delete execute network project write unknown"],
    ["staticcheck ./...", "execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("searches what is below a folder", () => {
    expect(pathsOf("gofmt -d src")).toEqual(["search src"]);
    expect(pathsOf("gofmt -w src")).toEqual(["write src"]);
  });
});
