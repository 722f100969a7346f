import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  lessWith,
  needsFile,
  only,
  opaque,
  outsideArguments,
  prints,
  project,
} from "./spec-builders.ts";

/** `-l`, `-s` and `-w` parse and print, and run nothing. */
const php: ProgramSpec = {
  options: `-neqHC -l -s -w -m -r=execute -B=execute -R=execute -F=execute -E=execute -a!execute -f=code -d=execute -z=execute -c=load -S=
    -t=enter -i!environment --syntax-check --ini --rf= --rc= --re= --ri= --no-header --no-php-ini`,
  style: "posix",
  operands: (parsed) => {
    if (parsed.has("-l", "--syntax-check", "-s", "-w")) return "read*";
    return parsed.has("-f", "-r", "-B", "-R", "-m", "-i", "--ini") ? "text*" : "code text*";
  },
  check: (parsed, record) => {
    lessWith(
      "-l",
      "--syntax-check",
      "-s",
      "-w",
      "-m",
      "--ini",
      "--rf",
      "--rc",
      "--re",
      "--ri",
    )(parsed, record);
    if (parsed.has("-S"))
      for (const effect of ["project", "network"] as const) record.effect(effect);
    const isShown = parsed.has("-m", "-i", "--ini", "--rf", "--rc", "--re", "--ri");
    const isParsed = parsed.has("-l", "--syntax-check", "-s", "-w");
    if (isShown || isParsed || parsed.has("-S", "-f")) return;
    needsFile(parsed, record);
    outsideArguments(parsed.operands.slice(1), record);
  },
};

const composerOptions = `-nqv --no-interaction --quiet --verbose --ansi --no-ansi --profile --no-plugins --no-scripts --no-cache
  -d=enter --working-dir=enter`;

/** Plugins and scripts of the project run with most commands. */
const composer: ProgramSpec = {
  effects: "project",
  options: `${composerOptions} -V --version -h --help`,
  // A script of the project, or an abbreviated command: a rule covers only these words.
  bare: {
    read(words, record) {
      record.verbs.push(...words.map(({ text }) => text));
      if (words.some(({ known }) => known !== "fixed"))
        record.fail("its arguments are not known before it runs");
      outsideArguments(words, record);
    },
  },
  subcommands: {
    "install|i|update|u|upgrade|require|r|remove|rm|dump-autoload|dumpautoload|reinstall|bump":
      only(
        "network write project",
        `${composerOptions} --dev --no-dev --prefer-dist --prefer-source --dry-run -W --with-all-dependencies -w --with-dependencies
       --no-progress -o --optimize-autoloader --optimize -a --classmap-authoritative --ignore-platform-reqs
       --ignore-platform-req= --lock --no-update --no-install --no-audit --sort-packages --fixed --prefer-stable
       --prefer-lowest --apcu-autoloader -m --minimal-changes`,
      ),
    "show|info|outdated|validate|licenses|depends|why|prohibits|why-not|check-platform-reqs|suggests|status|audit|fund|diagnose|about":
      only(
        "project network",
        `${composerOptions} -a --all -i --installed -t --tree -l --latest -o --outdated -D --direct -N --name-only -P --path -f= --format= --no-dev
         --strict --locked -s --self -m --minor-only -p --platform --available --no-check-publish --no-check-all -r --recursive`,
      ),
    "run-script|run": {
      effects: "project",
      options: `${composerOptions} --timeout= --dev --no-dev -l --list`,
      style: "posix",
      operands: "verb text*",
      check: ({ operands }, record) => outsideArguments(operands, record),
    },
    "exec|x|global|config|create-project|init|self-update|selfupdate|archive|browse|home|clear-cache|clearcache|cc|search|help|list|completion":
      opaque("execute network write"),
  },
};

const phpunit = project(
  `-c=load --configuration=load --no-configuration --bootstrap=execute -d=execute --include-path=load --extension=execute
   --printer=execute --filter= --exclude-filter= --testsuite= --exclude-testsuite= --group= --exclude-group= --list-tests
   --list-suites --list-groups --stop-on-failure --stop-on-error --stop-on-defect --fail-on-warning --fail-on-risky --order-by=
   --random-order-seed= --colors=? --no-progress --no-results --no-output --testdox --display-deprecations --display-warnings
   --display-notices --display-errors --display-skipped --display-incomplete --verbose -v --debug --columns=
   --cache-directory=write --no-coverage --coverage-text=?write --coverage-html=write --coverage-clover=write --coverage-xml=write
   --log-junit=write --log-teamcity=write --testdox-html=write --testdox-text=write --path-coverage --version --help -h`,
  "name*",
);

export const phpTools: ProgramTable = {
  php: prints("--version -v --help -h -m --modules --ini", php),
  composer,
  "phpunit|paratest": phpunit,
  "pest|phpstan|psalm|phan|php-cs-fixer|phpcs|phpcbf|rector|pint|artisan|drush|wp|symfony|sail|phpize|pecl|pear|laravel|infection|behat|codecept|deptrac|phpdbg|php-fpm|php-cgi|valet|box":
    opaque("execute project"),
};
