import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { recordUrl } from "./urls.ts";
import { goProgram, mentions } from "./word-helpers.ts";

/** Only queries the daemon, which may be on another machine. */
const shows = (options = "", operands = "text*"): ProgramSpec => ({
  effects: "network",
  options: `${options} --help`,
  operands,
  widenable: true,
});

/** Changes containers, images, volumes or networks. */
const changes = (effects: string, options = "", operands = "text*"): ProgramSpec => ({
  effects: `network ${effects}`,
  options: `${options} --help`,
  operands,
});

const lists = shows(
  "-aqsl -f= -n= --all --filter= --format= --last= --latest --no-trunc --quiet --size --digests --tree",
);
/** Shows settings of containers, including their environment. */
const inspects = changes("environment", "-s -f= --format= --size --type=");

/** Options whose value is a path on this machine. */
const places: ReadonlyMap<string, "read" | "write"> = new Map([
  ["-v", "write"],
  ["--volume", "write"],
  ["--mount", "write"],
  ["--device", "write"],
  ["--env-file", "read"],
  ["--label-file", "read"],
  ["--cidfile", "write"],
]);

/** Runs a program in a container. Mounted folders of this machine are recorded. */
const runs: ProgramSpec = {
  effects: "execute network system",
  read(words, record) {
    for (const [index, word] of words.entries()) {
      const [, long, attached] = /^(?:(--[\w-]+)|-[A-Za-z]*?v)=?(.*)$/s.exec(word.text) ?? [];
      const use = attached === undefined ? undefined : places.get(long ?? "-v");
      const value = attached ? fixedWord(attached) : words[index + 1];
      if (use && value) mountedPath(value, use, record);
    }
    record.fail("what runs in the container is not analysed");
  },
};

/** `source:target` and `type=bind,source=x,target=y`. A name without a slash is a volume of the daemon. */
function mountedPath(word: Word, use: "read" | "write", record: Recorder): void {
  const source =
    /(?:^|,)(?:source|src)=([^,]*)/.exec(word.text)?.[1] ?? word.text.split(":")[0] ?? "";
  if (/[/.~]/.test(source)) record.path({ ...word, text: source }, use);
}

const buildOptions = `-q -t= -f=load -o= -m= -c= --tag= --file=load --output= --target= --platform= --no-cache --pull --push --load
  --progress= --quiet --network= --add-host= --label= --rm --force-rm --squash --compress --memory= --memory-swap=
  --cpu-shares= --cpu-period= --cpu-quota= --cpuset-cpus= --cpuset-mems= --shm-size= --ulimit= --isolation= --cgroup-parent=
  --cache-from= --build-arg= --iidfile=write --metadata-file=write --secret= --build-context= --help`;

/** Runs the steps of a Dockerfile with the files of a folder. */
const build: ProgramSpec = {
  effects: "network project system",
  options: buildOptions,
  operands: "text",
  check: (parsed, record) => {
    const [context] = parsed.operands;
    if (context) place(context, record);
    checkOutput(parsed, record);
    // A build argument without a value is taken from the environment.
    if (parsed.values("--build-arg").some((value) => !value.includes("=")))
      record.effect("environment");
    for (const secret of parsed.values("--secret")) secretSource(secret, record);
    for (const named of parsed.values("--build-context"))
      place(fixedWord(named.replace(/^[^=]*=/, "")), record);
  },
};

function place(word: Word, record: Recorder): void {
  if (/^(?:https?|git|ssh|oci-layout|docker-image):\/\/|^git@|^github\.com\//.test(word.text))
    recordUrl(word, record);
  else record.path(word, "read");
}

function secretSource(text: string, record: Recorder): void {
  const file = /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1];
  if (file === undefined) record.effect("environment");
  else record.path(fixedWord(file), "read");
}

function checkOutput(parsed: ParsedArguments, record: Recorder): void {
  for (const output of parsed.values("-o", "--output")) {
    if (output.includes("=") || output.includes(","))
      record.fail(`where ${output} writes is not known`);
    else record.path(fixedWord(output), "write");
  }
}

const isInContainer = ({ text }: Word): boolean => /^[^/.~:][^/:]*:/.test(text);

const copies: ProgramSpec = {
  effects: "system",
  options: "-aLq --archive --follow-link --quiet",
  operands: ({ operands }) =>
    operands
      .map((word, index) => {
        if (isInContainer(word)) return "text";
        return index === operands.length - 1 ? "write" : "read";
      })
      .join(" "),
  check: ({ operands: [source, target] }, record) => {
    const name = source && isInContainer(source) ? /[^/:]+$/.exec(source.text)?.[0] : undefined;
    if (name !== undefined && target && target.text !== "-")
      record.path({ ...target, text: `${target.text}/${name}` }, "write");
  },
};

const containerVerbs: Readonly<Record<string, ProgramSpec>> = {
  logs: shows("-ft -n= --details --follow --since= --tail= --timestamps --until="),
  "top|port|diff|stats|wait": shows("-a --all --format= --no-stream --no-trunc"),
  inspect: inspects,
  "run|exec|create|attach|start|debug": runs,
  "stop|restart|kill|pause|unpause|rename|rm|update|prune": changes(
    "system",
    "-flva -s= -t= --force --link --volumes --time= --timeout= --signal= --all --filter=",
  ),
  cp: copies,
  commit: changes("system", "-p -a= -m= --author= --message= --pause"),
  export: changes("system", "-o=write --output=write"),
};

const imageVerbs: Readonly<Record<string, ProgramSpec>> = {
  history: shows("-Hq --human --no-trunc --quiet --format= --platform="),
  build,
  "pull|push": changes("system", "-aq --all-tags --quiet --platform="),
  "tag|rmi|prune": changes("system", "-fa --force --all --no-prune --filter="),
  save: changes("system", "-o=write --output=write --platform="),
  "load|import": changes("system", "-q -i=read --input=read --quiet --platform="),
};

const composeOptions = `-f=load --file=load -p= --project-name= --project-directory=enter --env-file=load --profile= --ansi=
  --progress= --parallel= --compatibility --all-resources --dry-run`;

const composeShow = shows(
  "-aq -f= -n= --all --quiet --filter= --format= --follow --tail= --since= --until= --timestamps --no-color --no-log-prefix --services --status= --orphans --no-trunc --short",
);

// The files of a project name its images, programs and folders, and may include files of other machines.
const composeRuns = changes(
  "project system",
  `-dVfvqy -t= --detach --build --no-build --force-recreate --no-recreate --no-start --no-deps --pull= --remove-orphans
  --renew-anon-volumes --wait --wait-timeout= --scale= --timeout= --abort-on-container-exit --quiet-pull --volumes --rmi=
  --no-cache --build-arg= --quiet --force --stop --timestamps --always-recreate-deps --attach= --no-attach= --menu --watch`,
);

const composeSpec: ProgramSpec = {
  options: composeOptions,
  subcommands: {
    "version|ps|images|top|ls|port|stats|volumes": composeShow,
    logs: shows(
      "-ft -n= --follow --tail= --since= --until= --timestamps --no-color --no-log-prefix --index=",
    ),
    "config|convert": changes(
      "environment project",
      "-q --quiet --services --volumes --images --profiles --format= --no-interpolate --no-normalize --resolve-image-digests -o=write --output=write --hash= --environment --variables",
    ),
    "up|down|start|stop|restart|build|pull|push|create|rm|kill|pause|unpause|wait|scale|watch|events|attach":
      composeRuns,
    "run|exec": runs,
    cp: { ...copies, effects: "system project" },
    "commit|export|publish|alpha|bridge": mentions("execute network system"),
  },
};

export const compose: ProgramSpec = prints("--version -v --help", goProgram(composeSpec));

const management = (others: Readonly<Record<string, ProgramSpec>> = {}): ProgramSpec => ({
  subcommands: {
    "ls|list": lists,
    inspect: inspects,
    ...others,
  },
});

const subcommands: Readonly<Record<string, ProgramSpec>> = {
  "ps|images": lists,
  "version|info|search|events": shows(
    "-f= --format= --filter= --limit= --no-trunc --since= --until=",
  ),
  ...containerVerbs,
  ...imageVerbs,
  container: management({ ps: lists, ...containerVerbs }),
  image: management({ ...imageVerbs, "rm|remove": changes("system", "-f --force --no-prune") }),
  volume: management({
    "create|rm|remove|prune": changes(
      "system",
      "-fa -d= --force --all --driver= --label= --name= -o= --opt= --filter=",
    ),
  }),
  network: management({
    "create|rm|remove|prune|connect|disconnect": changes(
      "system",
      "-f -d= --force --driver= --subnet= --gateway= --label= --alias= --ip= --internal --attachable --filter=",
    ),
  }),
  system: {
    subcommands: {
      "df|info|events": shows("-v --verbose -f= --format= --filter= --since= --until="),
      prune: changes("system", "-af --all --force --volumes --filter="),
    },
  },
  buildx: {
    subcommands: {
      build,
      "ls|version|du|inspect": shows("--verbose --format= --no-trunc"),
      "bake|create|use|rm|stop|prune|imagetools|history|dial-stdio":
        mentions("execute network system"),
    },
  },
  builder: {
    subcommands: { build, prune: changes("system", "-af --all --force --filter= --keep-storage=") },
  },
  compose: composeSpec,
  "login|logout": mentions("network write"),
  "context|manifest|plugin|trust|swarm|stack|service|node|secret|config|checkpoint|scout|init|model|mcp|extension|desktop|sandbox|ai|offload|debug":
    mentions("execute network system"),
};

// Another daemon may be reached through a program (`ssh://`), and settings can name helper programs.
export const docker: ProgramSpec = prints(
  "--version -v --help",
  goProgram({
    options: `-D -H=execute --host=execute -c=execute --context=execute --config=load!execute -l= --debug --log-level= --tls --tlsverify
      --tlscacert=read --tlscert=read --tlskey=read`,
    subcommands,
  }),
);
