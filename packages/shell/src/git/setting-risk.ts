import type { GitSetting } from "./config-file.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Sections in which no setting runs a program or reads a file. */
const inertSections = words("color advice column i18n user author committer versionsort");

/** Settings that never run a program or read a file, as `section.key`, without subsections. */
const inert = words(`
  core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
  core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.compression core.loosecompression
  core.whitespace core.untrackedcache core.preloadindex core.sparsecheckout core.sparsecheckoutcone core.longpaths
  core.commentchar core.commentstring core.checkstat core.trustctime core.protecthfs core.protectntfs core.multipackindex
  core.commitgraph core.bigfilethreshold core.fscache core.hidedotfiles core.deltabasecachelimit core.packedgitlimit
  core.packedgitwindowsize core.warnambiguousrefs core.checkroundtripencoding
  diff.algorithm diff.colormoved diff.colormovedws diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix
  diff.context diff.interhunkcontext diff.indentheuristic diff.wserrorhighlight diff.statgraphwidth
  diff.ignoresubmodules diff.autorefreshindex diff.relative diff.xfuncname diff.funcname diff.wordregex diff.binary
  diff.suppressblankempty
  log.date log.decorate log.abbrevcommit log.follow log.graphcolors log.mailmap log.showroot log.excludedecoration
  status.short status.branch status.showuntrackedfiles status.relativepaths status.showstash status.aheadbehind
  status.renames status.renamelimit status.displaycommentprefix
  grep.linenumber grep.column grep.patterntype grep.extendedregexp grep.threads grep.fullname
  blame.blankboundary blame.coloring blame.date blame.showemail blame.showroot blame.markignoredlines
  blame.markunblamablelines
  stash.showincludeuntracked stash.showpatch stash.showstat tag.sort branch.sort init.defaultbranch
  merge.conflictstyle merge.renames merge.renamelimit merge.ff merge.log merge.stat merge.verbosity
  extensions.worktreeconfig extensions.objectformat extensions.preciousobjects extensions.refstorage
  extensions.relativeworktrees extensions.noop
  index.version index.threads index.recordendofindexentries index.recordoffsettable feature.manyfiles feature.experimental
  pack.threads pack.windowmemory pack.usebitmaps pack.usesparse pack.writereverseindex commitgraph.generationversion
`);

/** Sections that reading commands never use: for the network, for merging, and for other programs. */
const unusedSections = words(`
  alias credential http url protocol push pull fetch rebase rerere gc maintenance receive transfer sendemail gui gitk
  gitflow gitbutler gitlab gitlens hub branchless mergetool difftool apply am branch worktree pack safe checkout clone
`);

/** Settings that reading commands never use, as in `inert`. */
const unused = words(`
  remote.url remote.fetch remote.pushurl remote.push remote.tagopt remote.prune remote.prunetags remote.mirror
  remote.pushdefault remote.gh-resolved remote.skipdefaultupdate remote.skipfetchall remote.lfsurl remote.proxy
  remote.followremotehead remote.glab-resolved
  core.sshcommand core.editor core.askpass sequence.editor
  commit.gpgsign commit.verbose commit.cleanup commit.status tag.gpgsign tag.forcesignannotated merge.tool merge.guitool
  merge.autostash diff.tool diff.guitool
  submodule.url submodule.active submodule.path submodule.branch submodule.recurse submodule.fetchjobs submodule.ignore
  submodule.fetchrecursesubmodules submodule.propagatebranches submodule.shallow
  lfs.repositoryformatversion lfs.url lfs.access lfs.locksverify lfs.fetchrecentrefsdays lfs.allowincompletepush
  lfs.activitytimeout lfs.concurrenttransfers
`);

/** Settings that name a file or folder, which may be in the repository. */
const paths = words(
  "blame.ignorerevsfile commit.template core.excludesfile core.attributesfile mailmap.file diff.orderfile",
);

/**
 * Commands that are not built into every git: separate programs or packages, recent commands, and deprecated ones. If
 * such a command is missing, git runs the alias of its name.
 */
const separate = words(`
  lfs submodule bisect filter-branch filter-repo mergetool difftool gui citool gitk gitweb instaweb svn p4 cvsimport cvsserver
  archimport quiltimport subtree request-pull send-email imap-send daemon shell http-backend http-fetch http-push remote-http
  remote-https credential credential-store credential-cache
  switch restore sparse-checkout range-diff multi-pack-index commit-graph maintenance for-each-repo bugreport diagnose
  fsmonitor--daemon
  whatchanged pack-redundant
`);

/** Whether an alias of this name can run although the name is a command of git. */
export const isReplaceable = (command: string): boolean => separate.has(command.toLowerCase());

export const nameOf = ({ section, key }: GitSetting): string => `${section}.${key}`;

/** Whether a setting affects neither which programs git runs nor which files it reads, in any command. */
export function isInert(setting: GitSetting): boolean {
  const name = nameOf(setting);
  if (inertSections.has(setting.section)) return true;
  if (inert.has(name)) return true;
  const value = valueOf(setting);
  if (name === "core.pager") return value === "cat" || value === "";
  if (name === "commit.gpgsign" || name === "tag.gpgsign" || name === "log.showsignature")
    return isFalse(value);
  if (setting.section === "pager") return isFalse(value);
  // `diff` runs git in each submodule.
  if (name === "diff.submodule") return value === "short" || value === "log";
  return name === "core.fsmonitor" && (isFalse(value) || isTrue(value));
}

// On the command line, these two override `harmlessEnvironment`.

/** Whether git starts its own file monitor. */
export const startsMonitor = (setting: GitSetting): boolean =>
  nameOf(setting) === "core.fsmonitor" && !isFalse(valueOf(setting));

/** Whether `git diff` writes the index. */
export const refreshesIndex = (setting: GitSetting): boolean =>
  nameOf(setting) === "diff.autorefreshindex" && !isFalse(valueOf(setting));

const valueOf = ({ value }: GitSetting): string => value?.toLowerCase() ?? "true";

/** What a setting of the repository means for reading commands: nothing, a program that runs, or a path. */
export function meaningForReading(setting: GitSetting): "nothing" | "risk" | "path" {
  const name = nameOf(setting);
  // An alias is `alias.lfs`, or in newer versions `alias.lfs.command`.
  if (setting.section === "alias" && isReplaceable(setting.subsection ?? setting.key))
    return "risk";
  if (isInert(setting) || unusedSections.has(setting.section) || unused.has(name)) return "nothing";
  if (name === "gpg.format") return "nothing";
  if (name === "submodule.update" && /^(?:none|merge|rebase|checkout)$/.test(setting.value ?? ""))
    return "nothing";
  return paths.has(name) ? "path" : "risk";
}

const isFalse = (value: string): boolean => /^(?:false|no|off|0|)$/.test(value);
const isTrue = (value: string): boolean => /^(?:true|yes|on|1)$/.test(value);
