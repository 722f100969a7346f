import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { recordUrl } from "./urls.ts";
import { goProgram, mentions } from "./word-helpers.ts";

// A configuration names the cluster, and may name a program for authentication.
const global = `-n= --namespace= -s=host --server=host --kubeconfig=load!execute --context= --cluster= --user= --as= --as-group=
  --as-uid= --token= --username= --password= --request-timeout= --insecure-skip-tls-verify --tls-server-name=
  --certificate-authority=read --client-certificate=read --client-key=read --cache-dir=write --match-server-version
  --disable-compression --warnings-as-errors -v= --v= --vmodule= --log-flush-frequency= -h --help`;

const files = (parsed: ParsedArguments, record: Recorder): void => {
  for (const file of parsed.values("-f", "--filename")) {
    if (/^https?:\/\//.test(file)) recordUrl(fixedWord(file), record);
    else record.path(fixedWord(file), "read");
  }
  for (const format of parsed.values("-o", "--output")) {
    const file = /^(?:jsonpath-file|go-template-file|templatefile|custom-columns-file)=(.*)$/s.exec(
      format,
    )?.[1];
    if (file !== undefined) record.path(fixedWord(file), "read");
  }
  for (const template of parsed.values("--template"))
    if (!template.includes("{{")) record.path(fixedWord(template), "read");
};

/** Reads from the cluster. Secrets are shown in plain text. */
const asks = (options = ""): ProgramSpec => ({
  effects: "network",
  options: `${global} ${options}`,
  operands: "text*",
  check: (parsed, record) => {
    files(parsed, record);
    const isRaw = parsed.values("--raw").length > 0;
    if (isRaw || parsed.operands.some(({ text }) => /(?:^|[,/])secrets?(?:$|[./,])/i.test(text)))
      record.effect("environment");
    const isConfigured = parsed.operands.some(({ text }) =>
      /^(?:all|cm|configmaps?)(?:$|[./,])/i.test(text),
    );
    if (isConfigured && parsed.has("-o", "--output")) record.effect("environment");
  },
});

const listing = `-ARw -f= -l= -L= -o= --all-namespaces --filename= --recursive --selector= --label-columns= --output= --watch --watch-only
  --output-watch-events --field-selector= --sort-by= --show-labels --show-kind --show-managed-fields --show-events --no-headers
  --ignore-not-found --chunk-size= --template= --allow-missing-template-keys --raw= --server-print --subresource=`;

const configuration: ProgramSpec = {
  read(words, record) {
    record.path({ ...fixedWord("~/.kube/config"), isTilde: true }, "read");
    readCommand(
      {
        options: global,
        subcommands: {
          "view|current-context|get-contexts|get-clusters|get-users": {
            options: `${global} -o= --output= --minify --flatten --merge --raw --no-headers`,
            operands: "text*",
          },
          "set|unset|set-context|set-cluster|set-credentials|use-context|use|rename-context|delete-context|delete-cluster|delete-user":
            mentions("execute write"),
        },
      },
      words,
      record,
    );
  },
};

const subcommands: Readonly<Record<string, ProgramSpec>> = {
  "get|describe|explain|api-resources|api-versions|top|events": asks(
    `${listing} --api-group= --namespaced --verbs= --cached --api-version= --containers --sum --for= --types=`,
  ),
  "cluster-info": asks(),
  logs: asks(
    "-fp -c= -l= --follow --previous --container= --selector= --since= --since-time= --tail= --timestamps --all-containers --all-pods --prefix --limit-bytes= --max-log-requests= --ignore-errors --pod-running-timeout=",
  ),
  diff: mentions("execute network"),
  version: asks("--client --short -o= --output="),
  config: configuration,
  "exec|run|attach|debug|cp|edit|port-forward|proxy|plugin|kustomize|completion":
    mentions("execute network"),
  "apply|create|delete|replace|patch|scale|autoscale|rollout|set|label|annotate|expose|cordon|uncordon|drain|taint|certificate|auth|wait|convert":
    mentions("network"),
};

const spec = goProgram({ options: global, subcommands });

const kubectl: ProgramSpec = {
  ...spec,
  read(words, record) {
    const other = words.find(({ text }) =>
      /^(?:--(?:context|cluster|user|server)(?:=|$)|-s)/.test(text),
    );
    if (other) record.deviate(`${other.text} names another cluster or user`);
    readCommand(spec, words, record);
  },
};

const helm: ProgramSpec = {
  options: "--kubeconfig=load!execute --kube-context=execute -n= --namespace= --debug",
  subcommands: {
    version: { options: "--short --client -c --template=", operands: "" },
    env: { effects: "environment", operands: "text" },
    "lint|template|package|dependency|dep|show|inspect|list|ls|status|history|get|search|repo|pull|fetch|push|install|upgrade|uninstall|delete|rollback|test|plugin|registry|create|verify":
      mentions("execute network project"),
  },
};

/** Programs for clusters. */
export const kubernetes: ProgramTable = {
  "kubectl|oc": kubectl,
  helm,
  "kind|minikube|k3d|k3s|microk8s|k9s|kustomize|stern|kubectx|kubens|argocd|flux|istioctl|crictl|ctr|etcdctl|kubeadm|eksctl|kops|telepresence|velero":
    prints("--version", mentions("execute network system")),
};
