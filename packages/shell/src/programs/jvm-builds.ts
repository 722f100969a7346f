import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { checks, opaque, plainValues, prints, splitAttached } from "./spec-builders.ts";

/** Properties that select tests or skip steps. Others may name programs, agents and repositories. */
const plainProperties = plainValues(
  /^(?:test|it\.test|skipTests|skipITs|maven\.test\.skip|surefire\.failIfNoSpecifiedTests|failIfNoTests|style\.color|checkstyle\.skip|spotbugs\.skip)(?:=[\w.#*,+-]*)?$/,
  "-D",
  "--define",
  "--system-prop",
);

/** Build files and the wrapper are code of the project. */
const gradle: ProgramSpec = {
  effects: "project",
  options: `-qidsw --quiet --info --debug --stacktrace -S --full-stacktrace --warn --console= --[no-]daemon --[no-]build-cache
    --[no-]configuration-cache --[no-]parallel --offline --refresh-dependencies --rerun-tasks --continue --dry-run -m
    --max-workers= --scan!network --no-scan --profile!write --warning-mode= -x= --exclude-task= --tests= -v --version -h --help -a
    --no-rebuild -t --continuous --configure-on-demand --no-watch-fs --watch-fs --status --stop!system --priority=
    --rerun --fail-fast --task= --group= --all --configuration= --dependency= --write-locks!write --write-verification-metadata=!write
    -p=enter --project-dir=enter -b=load --build-file=load -c=load --settings-file=load -g=load --gradle-user-home=load
    --include-build=load --project-cache-dir=write -I=execute --init-script=execute -D= --system-prop= -P= --project-prop=`,
  operands: "verb*",
  check: checks(plainProperties, (parsed, record) => {
    const [property] = parsed.values("-P", "--project-prop");
    if (property !== undefined) record.deviate(`it sets ${property}`);
  }),
};

const mavenOptions = `-q -e -X -B -o -U -N -V -am -amd -ntp -fae -ff -fn -nsu -C -c -llr -npu -cpu -itr --quiet --errors --debug --batch-mode
  --offline --update-snapshots --non-recursive --show-version --also-make --also-make-dependents --no-transfer-progress
  --fail-at-end --fail-fast --fail-never --color= -T= --threads= -pl= --projects= -rf= --resume-from= -v --version -h --help
  -f=load --file=load -s=load --settings=load -gs=load --global-settings=load -t=load --toolchains=load -gt=load
  --global-toolchains=load -l=write --log-file=write -b=execute --builder=execute -P= --activate-profiles= -D= --define=`;

/** A goal with a colon belongs to a plugin, which is downloaded by name: `exec:exec`. */
const maven: ProgramSpec = {
  effects: "project",
  style: "dash",
  options: mavenOptions,
  operands: "verb*",
  check: checks(plainProperties, ({ operands }, record) => {
    const plugin = operands.find(({ text }) => text.includes(":"));
    if (!plugin) return;
    record.effect("execute");
    record.deviate(`it runs the plugin ${plugin.text}`);
  }),
};

const attached = (letters: string, spec: ProgramSpec): ProgramSpec => ({
  ...spec,
  read: (words, record) =>
    readCommand(spec, splitAttached(letters, spec.options ?? "", words), record),
});

export const jvmBuilds: ProgramTable = {
  "gradle|gradlew": gradle,
  "mvn|mvnw|mvnd": attached("DPT", maven),
  ant: prints("-version -help", {
    effects: "project",
    style: "dash",
    options: `-q -quiet -v -verbose -d -debug -S -silent -e -emacs -k -keep-going -p -projecthelp -noinput -diagnostics
      -f=load -file=load -buildfile=load -s=load -find=load -lib=execute -logger=execute -listener=execute
      -inputhandler=execute -propertyfile=load -l=write -logfile=write -main=execute -nice=`,
    operands: "verb*",
  }),
  "sbt|sbtn|mill|bleep|kotlin-language-server|scala-cli|cs|coursier|jbang|boot|maven-daemon":
    opaque("execute project network"),
};
