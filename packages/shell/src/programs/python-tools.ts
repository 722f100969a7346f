import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import {
  checks,
  everyFile,
  lessWith,
  needsFile,
  only,
  opaque,
  outsideArguments,
  plainValues,
  prints,
  project,
  withoutArgumentFiles,
} from "./spec-builders.ts";

/** Test files, settings and plugins of the project are code. */
const pytest = withoutArgumentFiles(
  project(
    `-xvqsl -k= -m= -r= -p= -c=load --config-file=load --rootdir=enter --confcutdir=load --import-mode= -o=execute
     --override-ini=execute --basetemp=delete --tb= --maxfail= --durations= --durations-min= --capture= --show-capture= --co
     --collect-only --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip --stepwise-skip
     --exitfirst --verbose --quiet --verbosity= --no-header --no-summary --no-fold-skipped --showlocals --no-showlocals
     --full-trace --color= --code-highlight= --strict --strict-markers --strict-config --disable-warnings
     --disable-pytest-warnings -W= --pythonwarnings= --ignore= --ignore-glob= --deselect= --noconftest --keep-duplicates
     --pyargs --markers --fixtures --funcargs --fixtures-per-test --setup-only --setup-show --setup-plan --cache-clear!delete
     --cache-show=? --log-level= --log-cli-level= --log-file=write --log-file-level= --log-format= --junitxml=write --junit-xml=write
     --junit-prefix= --report-log=write --doctest-modules --doctest-glob= --doctest-continue-on-failure --runxfail
     --pdb!execute --pdbcls=execute --trace!execute --pastebin=!network --debug=?write --cov=?name --cov-report=
     --cov-config=load --cov-branch --no-cov --cov-append --cov-fail-under= -n= --numprocesses= --dist= --timeout= --reruns=
     --reruns-delay= --randomly-seed= --asyncio-mode= --benchmark-skip --benchmark-only --snapshot-update!write
     --html=write --self-contained-html --trace-config --version -V --help -h`,
    "name*",
    checks(
      plainValues(/^no:/, "-p"),
      plainValues(/^[a-z]+(?::[^:]*(?::[A-Za-z]*)?)?$/, "-W", "--pythonwarnings"),
      // `html:dir` names where the report goes.
      (parsed, record) => {
        if (
          parsed
            .values("--cov-report")
            .some((value) => !/^(?:term|term-missing|term-missing:skip-covered|)$/.test(value))
        )
          record.effect("write");
      },
    ),
  ),
);

/** Runs the tests of the project in environments that it creates. */
const tox: ProgramSpec = {
  effects: "project network write",
  options: `-e=verb -m=verb -f=verb -c=load --conf=load --root=enter --workdir=write --work-dir=write -r --recreate -p=? --parallel=?
    -o --parallel-live -q -v -vv -l --listenvs -a --skip-missing-interpreters=? --notest --no-deps --develop -x=execute --override=execute
    --installpkg=load --result-json=write --hashseed= --discover=execute --colored= --version --help -h`,
  operands: "verb*",
};

const nox: ProgramSpec = {
  effects: "project network write",
  options: `-s=verb --session=verb --sessions=verb -e=verb -k=verb -t=verb --tags=verb -p= --python= --pythons= -l --list --list-sessions
    -f=load --noxfile=load -r --reuse-existing-virtualenvs -R -N --no-venv -x --stop-on-first-error --envdir=write
    --default-venv-backend= -q -v --verbose --no-install --force-color --no-color --report=write`,
  operands: "verb*",
};

/** Its cache is in the project, and settings may make it fix files; only `--diff` never writes. */
const ruffReads =
  (...options: readonly string[]) =>
  (parsed: ParsedArguments): boolean =>
    parsed.has(...options) && parsed.has("-n", "--no-cache");

const ruffOptions = `-qvs --quiet --verbose --silent --isolated --config=load --color= --no-cache -n --cache-dir=write --target-version=
  --preview --no-preview --respect-gitignore --no-respect-gitignore --exclude= --extend-exclude= --force-exclude
  --no-force-exclude --stdin-filename= --extension=`;

function ruffRun(options: string, isReading: (parsed: ParsedArguments) => boolean): ProgramSpec {
  return {
    options: `${ruffOptions} ${options}`,
    operands: (parsed) => (isReading(parsed) ? "search*" : "write*"),
    implied: (parsed) => (isReading(parsed) ? "search ." : "write ."),
    search: everyFile,
    check: checks(
      (parsed, record) => {
        if (!isReading(parsed)) record.effect("write");
      },
      lessWith("--diff", "--check", "--no-cache", "-n"),
    ),
  };
}

const ruff: ProgramSpec = {
  options: "-qvs --quiet --verbose --silent --isolated --config=load --color=",
  subcommands: {
    check: ruffRun(
      `--fix!write --no-fix --unsafe-fixes --no-unsafe-fixes --show-fixes --no-show-fixes --diff -w --watch --fix-only!write
       --no-fix-only --ignore-noqa --output-format= -o=write --output-file=write --select= --ignore= --extend-select=
       --extend-ignore= --per-file-ignores= --fixable= --unfixable= --statistics --add-noqa=?!write --show-files
       --show-settings -e --exit-zero --exit-non-zero-on-fix`,
      ruffReads("--diff"),
    ),
    format: ruffRun(
      "--check --diff --line-length= --range= --exit-non-zero-on-format --output-format=",
      ruffReads("--check", "--diff"),
    ),
    "rule|linter|version": only("", "--all --output-format="),
    config: only("", "--output-format="),
    clean: only("delete", ruffOptions, ""),
    "server|analyze": opaque("execute write"),
  },
};

/** Settings of the project select the files. Except with `--diff` it writes at least its cache. */
// It writes its cache even with `--diff`.
const black: ProgramSpec = {
  effects: "write",
  options: `-qvSC -l= --line-length= -t= --target-version= --check --diff --[no-]color --fast --safe --pyi --ipynb --preview --unstable
    --skip-string-normalization --skip-magic-trailing-comma --include= --exclude= --extend-exclude= --force-exclude=
    --stdin-filename= -W= --workers= --quiet --verbose --required-version= --config=load --no-cache --line-ranges=`,
  operands: (parsed) => (parsed.has("--diff", "--check") ? "search*" : "write*"),
  search: everyFile,
  check: lessWith("--diff", "--check"),
};

/** Settings of the project can name plugins, and make it run git. */
const isort: ProgramSpec = {
  effects: "project",
  options: `-cdqv -l= --check --check-only --diff --quiet --verbose --profile= --line-length= -w= -m= --multi-line= --settings-path=load
    --settings-file=load --settings=load --sp=load --skip= -s= --skip-glob= --sg= --filter-files --stdout --only-modified
    --force-single-line-imports --sl --atomic --ac --color --src=name --src-path=name -p= --project= -o=
    --show-files --show-settings --show-config --virtual-env=load --conda-env=load`,
  operands: (parsed) => (isortReads(parsed) ? "search*" : "write*"),
  search: everyFile,
  check: checks(
    plainValues(
      /^(?:black|django|pycharm|google|open_stack|plone|attrs|hug|wemake|appnexus)$/,
      "--profile",
    ),
    (parsed, record) => {
      lessWith("-c", "--check", "--check-only", "-d", "--diff", "--stdout")(parsed, record);
      if (!isortReads(parsed)) record.effect("write");
    },
  ),
};

function isortReads(parsed: ParsedArguments): boolean {
  return parsed.has("-c", "--check", "--check-only", "-d", "--diff", "--stdout");
}

/** Plugins are in the settings; the cache is in the project. */
const mypy = withoutArgumentFiles(
  project(
    `-v --verbose --strict --config-file=load --ignore-missing-imports --follow-imports= --python-version= --python-executable=execute
     --no-error-summary --pretty --show-error-codes --hide-error-codes --show-error-context --show-column-numbers
     --show-traceback --tb --pdb!execute --no-incremental --cache-dir=write --sqlite-cache --install-types!network --non-interactive
     -p= --package= -m= --module= -c=execute --command=execute --exclude= --warn-unused-ignores --warn-unreachable
     --disallow-untyped-defs --check-untyped-defs --explicit-package-bases --namespace-packages --no-site-packages
     --enable-error-code= --disable-error-code= --junit-xml=write --html-report=write --txt-report=write --xml-report=write
     --linecount-report=write --any-exprs-report=write --cobertura-xml-report=write --custom-typeshed-dir=load --platform=
     --shadow-file=read --no-color-output --color-output`,
    "read*",
  ),
);

const pylint = withoutArgumentFiles(
  project(
    `-v --verbose --rcfile=load --load-plugins=execute --init-hook=execute --disable= -d= --enable= -e= -E --errors-only -j= --jobs=
     -r= --reports= -s= --score= -f= --output-format= --output=write --fail-under= --fail-on= --ignore= --ignore-paths=
     --ignore-patterns= --recursive= --msg-template= --max-line-length= --extension-pkg-allow-list=execute
     --extension-pkg-whitelist=execute --persistent= --exit-zero --py-version= --source-roots=load --version --help -h`,
    "read*",
    plainValues(/^(?:text|parseable|colorized|json|json2|msvs|github)$/, "-f", "--output-format"),
  ),
);

const flake8 = project(
  `-qv --quiet --verbose --config=load --append-config=load --isolated --enable-extensions=execute --require-plugins= --color=
   --count --exclude= --extend-exclude= --filename= --format= --ignore= --extend-ignore= --per-file-ignores=
   --max-line-length= --max-complexity= --select= --extend-select= --statistics --benchmark --show-source --no-show-source
   --exit-zero -j= --jobs= --tee --output-file=write --stdin-display-name= --disable-noqa --bug-report --version --help -h`,
);

const coverageOptions = `--rcfile=load --data-file=write --debug= --include= --omit= --fail-under= -i --ignore-errors -m --show-missing
  --skip-covered --no-skip-covered --skip-empty --precision= --sort= --format= --contexts= -q --quiet`;

const coverage: ProgramSpec = {
  effects: "project",
  subcommands: {
    run: {
      options: `${coverageOptions} -a --append --branch -p --parallel-mode --source= --source-dirs= -L --pylib --timid --concurrency=
        --context= -m`,
      style: "posix",
      operands: (parsed) => (parsed.has("-m") ? "verb verb*" : "code text*"),
      check: (parsed, record) => {
        if (parsed.has("-m")) record.verbs.push("-m");
        needsFile(parsed, record);
        outsideArguments(parsed.operands.slice(1), record);
        record.effect("write");
      },
    },
    report: only("project", coverageOptions, "read*"),
    "html|xml|json|lcov|annotate|combine": only(
      "project write",
      `${coverageOptions} -d=write --directory=write -o=write --title= --pretty-print --show-contexts -a --append --keep`,
      "read*",
    ),
    erase: only("project delete", coverageOptions, ""),
    "debug|help": opaque("project environment"),
  },
};

/** Commands of a web framework are code of the project. */
const framework: ProgramSpec = {
  effects: "project network",
  options:
    "--settings=execute --pythonpath=load -v= --verbosity= --traceback --no-color -A=execute --app=execute -e=load --env-file=load --debug",
  style: "posix",
  operands: "verb*",
};

const server: ProgramSpec = {
  effects: "project network",
  options: `--reload --port= --host= -p= -b= --bind= -w= --workers= --log-level= --app-dir=enter --reload-dir=name --env-file=load
    -c=load --config=load --factory --timeout= --access-logfile=write --error-logfile=write --pid=write`,
  operands: "verb verb*",
};

export const pythonTools: ProgramTable = {
  "pytest|py.test": pytest,
  tox,
  nox: prints("--version --help -h", nox),
  ruff: prints("--version -V --help -h", ruff),
  black: prints("--version --help -h", black),
  isort: prints("--version -V --vn --help -h", isort),
  "mypy|dmypy": prints("--version -V --help -h", mypy),
  // It runs the interpreter that the settings of the project name.
  "pyright|basedpyright": project(
    `--version --help -h -p=load --project=load --pythonpath=execute --pythonplatform= --pythonversion= --venvpath=load
     -v=load --level= --outputjson --stats --verbose --warnings --threads=? -w --watch --dependencies
     --skipunannotated --createstub=!write --ignoreexternal --verifytypes=`,
    "read*",
  ),
  "flake8|pyflakes|pycodestyle|pydocstyle": flake8,
  pylint,
  coverage,
  "django-admin|flask": framework,
  "uvicorn|gunicorn|hypercorn|daphne|fastapi|streamlit|celery|granian": server,
  "jupyter|jupyter-lab|jupyter-notebook|papermill": opaque("execute network write"),
  "pre-commit": opaque("execute network project write"),
  "bandit|vulture|radon|pyupgrade|autopep8|yapf|autoflake|pytype|pyre|ty|pyrefly|sphinx-build|mkdocs|alembic|scrapy|invoke|fab|ansible|ansible-playbook|cython|nuitka|pyinstaller|watchmedo|snakemake|airflow|dbt|locust|behave|hypothesis|mutmut|sqlfluff":
    opaque("execute project"),
};
