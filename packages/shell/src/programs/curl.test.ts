import { describe, expect, it } from "vitest";
import { hostsOf, pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("curl", () => {
  it.each([
    ["curl --version", "read-only"],
    ["curl --help", "read-only"],
    ["curl https://a.example", "network"],
    ["curl -sSfL https://a.example/x", "network"],
    ["curl -# -L a.example", "network"],
    ["curl -X POST -d @- localhost:3000", "network"],
    ["curl -o x https://a.example", "network write"],
    ["curl -sSfLox https://a.example", "network write"],
    ["curl -O https://a.example/x", "network write"],
    ["curl --create-dirs -o a/b a.example", "network write"],
    ["curl --engine ./x.so https://a.example", "execute network deviation"],
    ["curl -x b.example:80 https://a.example", "network deviation"],
    ["curl --resolve a.example:443:10.0.0.1 https://a.example", "network deviation"],
    ["curl -T x https://a.example", "network deviation"],
    // An option that is not known, or abbreviated.
    ["curl --outp=x https://a.example", "network unknown"],
    ["curl --expand-url https://a.example", "network unknown"],
    ["curl --variable x@y https://a.example", "network unknown"],
    // Options and addresses from elsewhere.
    ["curl -K x https://a.example", "network project unknown deviation"],
    ["curl -K- https://a.example", "network unknown"],
    ["curl @x", "network unknown"],
    ["curl --proto-default file /etc/passwd", "network unknown"],
    ["curl *", "network unknown"],
    ["curl $URL", "network unknown"],
    // Addresses and files that are decided later.
    ["curl 'https://{a,b}.example'", "network unknown"],
    ["curl 'https://a.example/[1-9]'", "network unknown"],
    ["curl -g 'https://a.example/[1]'", "network"],
    ["curl -o '#1' 'https://a.example/{x,y}'", "network write unknown"],
    ["curl -o '#1' https://a.example/x", "network write unknown"],
    ["curl -OJ https://a.example/x", "network write unknown"],
    ["curl -w @x https://a.example", "network unknown"],
    ["curl -T '{a,b}' https://a.example", "network unknown deviation"],
    ["curl -F 'a=@\"x y\"' https://a.example", "network unknown"],
    [String.raw`curl 'http://a.example\@b.example'`, "network unknown"],
    ["curl http://x@a.example@b.example/", "network unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it.each([
    ["curl -d @.env a.example", ["read .env"]],
    ["curl --data-binary @.env a.example", ["read .env"]],
    ["curl --json @.env a.example", ["read .env"]],
    ["curl --data-raw @.env a.example", []],
    ["curl --data-urlencode x@.env a.example", ["read .env"]],
    ["curl --data-urlencode x=a@b a.example", []],
    ["curl --url-query @.env a.example", ["read .env"]],
    ["curl -F 'f=@a,b;type=x' -F 'g=<c' a.example", ["read a", "read b", "read c"]],
    ["curl --form-string f=@a a.example", []],
    ["curl -H @.env a.example", ["read .env"]],
    ["curl -b .env a.example", ["read .env"]],
    ["curl -b a=b a.example", []],
    ["curl -sT.env a.example", ["read .env"]],
    ["curl -E a.crt:pw a.example", ["read a.crt:pw", "read a.crt"]],
    ["curl --pinnedpubkey sha256//x a.example", []],
    ["curl -n a.example", ["read ~/.netrc"]],
    ["curl --netrc-file x a.example", ["read x"]],
    ["curl -c jar a.example", ["write jar"]],
    ["curl -D head --trace t --stderr e a.example", ["write head", "write t", "write e"]],
    ["curl --unix-socket /run/x.sock a.example", ["write /run/x.sock"]],
    ["curl -w '%output{x}y' a.example", ["write x"]],
    ["curl -O a.example/x -O b.example/y", ["write x", "write y"]],
    ["curl --output-dir d -O a.example/x", ["write d", "write d/x"]],
    ["curl --output-dir d -o x a.example", ["write d", "write x", "write d/x"]],
    ["curl file:///etc/%70asswd", ["read /etc/passwd"]],
    ["curl FILE:/etc/passwd", ["read /etc/passwd"]],
    ["curl file://localhost/x", ["read /x"]],
    ["curl -T a file:///b", ["read a", "read /b", "write /b"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });

  it.each([
    ["curl https://user:pw@A.example:8443/x", ["a.example:8443"]],
    ["curl localhost:3000/x https://b.example", ["localhost:3000", "b.example"]],
    ["curl --url a.example --next b.example", ["b.example", "a.example"]],
    ["curl http:/a.example/x", ["a.example"]],
    ["curl http://a.example/x?y=1", ["a.example"]],
    ["curl -x b.example:80 a.example", ["b.example", "a.example"]],
    ["curl --connect-to ::b.example:80 a.example", ["b.example", "a.example"]],
    [
      "curl --resolve a.example:80:10.0.0.1,10.0.0.2 a.example",
      ["10.0.0.1", "10.0.0.2", "a.example"],
    ],
    ["curl ftp://a.example:21/x", ["a.example"]],
  ])("names the hosts of %s", (line, hosts) => {
    expect(hostsOf(line)).toStrictEqual(hosts);
  });

  it("is never widened", () => {
    const lines = ["curl a.example", "wget a.example", "http a.example", "scp a h:"];
    expect(lines.map(widened)).toStrictEqual(lines.map(() => null));
  });
});
