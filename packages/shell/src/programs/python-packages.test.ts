import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("pip", () => {
  it.each([
    ["pip --version", "read-only"],
    ["pip show requests", "read-only"],
    ["pip3 show -f requests", "read-only"],
    ["pip check", "read-only"],
    ["pip inspect", "read-only"],
    ["pip list", "network"],
    ["pip list --disable-pip-version-check", "read-only"],
    ["pip --disable-pip-version-check list --format=json", "network"],
    ["pip list --disable-pip-version-check --outdated", "network"],
    ["pip list --disable-pip-version-check -lo", "network"],
    ["pip list --disable-pip", "unknown"],
    ["pip list --disable-pip-version-check --log=x", "write"],
    ["pip list --disable-pip-version-check --path /elsewhere", "read-only"],
    ["pip --python ./evil show x", "execute deviation"],
    ["pip freeze", "project"],
    ["pip hash dist/x.whl", "read-only"],
    ["pip install -r requirements.txt", "network project write deviation"],
    ["pip install -e '.[dev]'", "network project write"],
    ["pip install --user x", "network project system write"],
    ["pip install --target=/elsewhere x", "network project write"],
    ["pip install -i https://example.com/simple x", "network project write deviation"],
    ["pip install --global-option=x y", "execute network project write deviation"],
    ["pip uninstall -y x", "delete write"],
    ["pip download x", "network project write"],
    ["pip index versions x", "network"],
    ["pip cache dir", "read-only"],
    ["pip cache purge", "delete"],
    ["pip config list", "environment"],
    ["pip config set global.index-url x", "execute write unknown"],
    ["pip no-such-command", "unknown"],
    ["pip", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("includes the offline option in the action", () => {
    expect(widened("pip list --disable-pip-version-check -l")).toBe(
      "pip list --disable-pip-version-check",
    );
    expect(widened("pip list")).toBeNull();
  });

  it("names the folders that it installs from", () => {
    expect(pathsOf("pip install ../x -e /elsewhere/y")).toEqual(["read ../x", "read /elsewhere/y"]);
  });
});

describe("managers of python environments", () => {
  it.each([
    ["uv --version", "read-only"],
    ["uv sync", "network project write"],
    ["uv sync --project /elsewhere", "network project write deviation"],
    ["uv run pytest -q", "execute network project write + project"],
    ["uv run --with evil pytest", "execute network project write deviation + project"],
    ["uv run -m evil", "execute network project write deviation"],
    ["uv add requests", "network project write"],
    ["uv pip list", "project"],
    ["uv pip install x", "network project write"],
    ["uv tree", "network project write"],
    ["uv tool run ruff check", "execute network + write"],
    ["uv python install 3.13", "network system write unknown"],
    ["uv cache clean", "delete unknown"],
    ["uv init", "execute network write unknown"],
    ["uvx ruff check", "execute network + write"],
    ["uvx --from evil ruff", "execute network deviation + unknown"],
    ["uvx cowsay hi", "execute network + unknown"],
    ["pipx run cowsay", "execute network + unknown"],
    ["pipx install cowsay", "execute network system write unknown"],
    ["poetry --version", "project"],
    ["poetry install", "network project write"],
    ["poetry show --tree", "network project"],
    ["poetry run pytest", "project + project"],
    ["poetry -C /elsewhere run pytest", "project deviation + project"],
    ["poetry shell", "execute network project write unknown"],
    ["pdm run -p /elsewhere pytest", "project deviation + project"],
    ["pdm lock", "network project write"],
    ["hatch run test:cov", "network project write"],
    ["hatch -e test run pytest", "network project write"],
    ["conda install x", "execute network system write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});
