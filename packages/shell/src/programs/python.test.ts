import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("python", () => {
  it.each([
    ["python3 --version", "read-only"],
    ["python3 -V", "read-only"],
    ["python3.12 -VV", "read-only"],
    ["python3", "execute unknown"],
    ["python3 -", "execute unknown"],
    ["python3 -u - x", "execute unknown"],
    ["python3 src/main.py --x", "project"],
    ["python3 -u -B src/main.py", "project"],
    ["python3 -i src/main.py", "execute unknown"],
    ["python3 $FILE", "unknown"],
    ["python3 src/*.py", "unknown"],
    ["python3 -c 'code'", "execute deviation"],
    ["python3 -Ic 'code'", "execute deviation"],
    ["python3 -c'code' -m json.tool", "execute deviation"],
    ["python3 -c", "unknown"],
    ["python3 -W ignore src/main.py", "project"],
    ["python3 -Werror::DeprecationWarning src/main.py", "project"],
    ["python3 -W error::evil.Warning src/main.py", "unknown"],
    ["python3 -X dev src/main.py", "project"],
    ["python3 -X pycache_prefix=/elsewhere src/main.py", "unknown"],
    ["python3 -Xpresite=evil src/main.py", "unknown"],
    ["python3 --check-hash-based-pycs always x.py", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the file in the action", () => {
    expect(widened("python3 src/main.py --x")).toBe("python3 src/main.py");
    expect(widened("python3 -c 1")).toBeNull();
    expect(pathsOf("python3 src/main.py ../x --out=/etc/y")).toEqual([
      "read src/main.py",
      "read ../x",
      "read /etc/y",
    ]);
  });
});

describe("modules that python runs", () => {
  it.each([
    ["python3 -m json.tool a.json", "project"],
    ["python3 -I -m json.tool a.json", "read-only"],
    ["python3 -Im json.tool a.json", "read-only"],
    ["python3 -Pmjson.tool a.json", "read-only"],
    ["python3 -Im json.tool a.json b.json", "write"],
    ["python3 -Im json.tool --sort a.json", "unknown"],
    ["python3 -s -m json.tool", "project"],
    ["python3 -m pytest -k main", "project"],
    ["python3 -m pytest -p evil", "execute project deviation"],
    ["python3 -m unittest discover -v", "project"],
    ["python3 -m unittest -s /elsewhere", "project deviation"],
    ["python3 -m pip list --disable-pip-version-check", "project"],
    ["python3 -m pip install x", "network project write"],
    ["python3 -m venv .venv", "project write"],
    ["python3 -m venv --clear .venv", "delete project write"],
    ["python3 -m http.server 8000", "network project"],
    ["python3 -m http.server -d /elsewhere", "network project deviation"],
    ["python3 -m py_compile src/main.py", "project write"],
    ["python3 -m compileall", "project write"],
    ["python3 -Im timeit code", "execute unknown"],
    ["python3 -m pdb src/main.py", "execute project unknown"],
    ["python3 -m zipfile -e a.zip out", "delete project write unknown"],
    ["python3 -m my.package --flag", "project"],
    ["python3 -Im my.package --flag", "execute"],
    ["python3 -m $MODULE", "unknown"],
    ["python3 -m", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the module in the action, and all words if the module is unknown", () => {
    expect(widened("python3 -m pytest -k main")).toBe("python3 -m pytest");
    expect(widened("python3 -m json.tool a.json")).toBe("python3 -m json.tool");
    expect(widened("python3 -m my.package sync now")).toBe("python3 -m my.package sync now");
  });
});
