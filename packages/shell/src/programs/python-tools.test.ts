import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("test runners of Python", () => {
  it.each([
    ["pytest", "project"],
    ["pytest --version", "project"],
    ["pytest -xvs test/test_main.py::test_main", "project"],
    ["pytest -k 'a and b' -m slow --tb=short -ra -n 4", "project"],
    ["pytest -p no:cacheprovider", "project"],
    ["pytest -pno:cacheprovider", "project"],
    ["pytest -p evil", "execute project deviation"],
    ["pytest -pevil", "execute project deviation"],
    ["pytest -c other.ini", "project deviation"],
    ["pytest --rootdir=/elsewhere", "project deviation"],
    ["pytest --root=/elsewhere", "project unknown"],
    ["pytest -o addopts=-pevil", "execute project deviation"],
    ["pytest -W error::evil.Warning", "execute project deviation"],
    ["pytest -W error::UserWarning", "project"],
    ["pytest --basetemp=src", "delete project"],
    ["pytest --junitxml=out.xml", "project write"],
    ["pytest --cov=src --cov-report=term-missing", "project"],
    ["pytest --cov=src --cov-report=html:/elsewhere", "project write"],
    ["pytest --pdb", "execute project"],
    ["pytest --pastebin=all", "network project"],
    ["pytest @args.txt", "project unknown"],
    ["pytest -k @args.txt", "project unknown"],
    ["tox -e py312", "network project write"],
    ["tox -c other.ini", "network project write deviation"],
    ["tox -x testenv.commands=evil", "execute network project write deviation"],
    ["nox -s tests", "network project write"],
    ["nox -f other.py", "network project write deviation"],
    ["coverage run src/main.py", "project write"],
    ["coverage run -m pytest", "project write"],
    ["coverage report -m", "project"],
    ["coverage html -d out", "project write"],
    ["coverage erase", "delete project"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the action", () => {
    expect(widened("pytest -x test")).toBe("pytest");
    expect(widened("pytest --rootdir x")).toBeNull();
    expect(widened("coverage report")).toBe("coverage report");
  });

  it("names the tests as paths", () => {
    expect(pathsOf("pytest /elsewhere/test_x.py")).toEqual(["name /elsewhere/test_x.py"]);
  });
});

describe("linters and formatters of Python", () => {
  it.each([
    ["ruff --version", "read-only"],
    ["ruff check .", "write"],
    ["ruff check --no-cache .", "write"],
    ["ruff check --no-cache --diff .", "read-only"],
    ["ruff check -n --diff --config /elsewhere/ruff.toml", "project deviation"],
    ["ruff check --fix src", "write"],
    ["ruff check --add-noqa", "write"],
    ["ruff format .", "write"],
    ["ruff format --check .", "write"],
    ["ruff format --check --no-cache .", "read-only"],
    ["ruff check --no-cache --diff -o out.txt", "write"],
    ["ruff rule E501", "read-only"],
    ["ruff clean", "delete"],
    ["ruff server", "execute write unknown"],
    ["black --version", "read-only"],
    ["black src test", "write"],
    ["black --check src", "write"],
    ["black --diff src", "write"],
    ["black --config other.toml --diff src", "project write deviation"],
    ["isort --check-only .", "project"],
    ["isort -c --diff src", "project"],
    ["isort src", "project write"],
    ["isort --check --settings-path /elsewhere src", "project deviation"],
    ["isort --check --profile black src", "project"],
    ["isort --check --profile evil src", "execute project deviation"],
    ["mypy --version", "read-only"],
    ["mypy src", "project"],
    ["mypy --config-file other.ini src", "project deviation"],
    ["mypy --python-executable ./evil src", "execute project deviation"],
    ["mypy @args.txt", "project unknown"],
    ["pyright src", "project"],
    ["pyright --pythonpath ./evil", "execute project deviation"],
    ["flake8 src", "project"],
    ["flake8 --config other src", "project deviation"],
    ["pylint src", "project"],
    ["pylint --rcfile=other src", "project deviation"],
    ["pylint --init-hook=code src", "execute project deviation"],
    ["pylint --load-plugins=evil src", "execute project deviation"],
    ["pylint -f evil.Reporter src", "execute project deviation"],
    ["django-admin migrate --plan", "network project"],
    ["flask --app evil run", "execute network project deviation"],
    ["uvicorn main:app --reload", "network project"],
    ["jupyter lab", "execute network write unknown"],
    ["ipython", "execute unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("includes an option that makes it do less in the action", () => {
    expect(widened("isort --check src")).toBe("isort --check");
    expect(widened("ruff format --check --no-cache .")).toBe("ruff format --check --no-cache");
  });

  it("searches everything below, because settings select the files", () => {
    expect(pathsOf("black --diff src")).toEqual(["search src"]);
    expect(pathsOf("ruff check --no-cache --diff")).toEqual(["search ."]);
    expect(pathsOf("black src")).toEqual(["write src"]);
  });
});
