import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";
import { everything } from "./search-scope.ts";

/** `host:path`, `host::module` and `rsync://host/module`; a slash before the colon makes it a local path. */
const isRemote = (word: Word): boolean => /^(?:[^/:]*:|rsync:\/\/)/.test(word.text);

/** The last operand is written, unless it is the only one: then it is listed. */
function kindsOf(parsed: ParsedArguments): string {
  const { operands } = parsed;
  const kinds = operands.map((word, index) => {
    if (isRemote(word)) return "host";
    // A listing with checksums reads the files.
    if (operands.length === 1) return parsed.has("-c", "--checksum") ? "search" : "name";
    return index === operands.length - 1 ? "write" : "search";
  });
  return kinds.join(" ");
}

// Options that read lists of files or rules from other files (`--files-from`, `-F`, `--filter`) are left out.
export const rsync: ProgramSpec = {
  options:
    "-abcdghiklmnopqrstuvxyzACDEHIJKLNOPRSUWX8046 -B= -e=execute -T=write -f=unknown --rsh=execute --rsync-path=execute " +
    "--verbose --info= --debug= --quiet --checksum --archive --recursive --relative --no-relative --backup " +
    "--backup-dir=write --suffix= --update --inplace --append --append-verify --dirs --mkpath --links --copy-links " +
    "--copy-unsafe-links --safe-links --copy-dirlinks --keep-dirlinks --hard-links --perms --executability --chmod= --acls " +
    "--xattrs --owner --group --no-owner --no-group --no-perms --devices --specials --times --atimes --omit-dir-times " +
    "--omit-link-times --fake-super --sparse --preallocate --dry-run --whole-file --no-whole-file --one-file-system " +
    "--block-size= --existing --ignore-existing --remove-source-files!delete --delete!delete --del!delete " +
    "--delete-before!delete --delete-during!delete --delete-delay!delete --delete-after!delete --delete-excluded!delete " +
    "--force!delete --ignore-errors --max-delete= --max-size= --min-size= --partial --partial-dir=write --delay-updates " +
    "--prune-empty-dirs --numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= --ignore-times --size-only " +
    "--modify-window= --temp-dir=write --fuzzy --compare-dest=name --copy-dest=read --link-dest=read --compress " +
    "--compress-level= --skip-compress= --cvs-exclude --exclude= --include= --exclude-from=read --include-from=read " +
    "--from0 --protect-args --secluded-args --port= --blocking-io --stats --human-readable --progress --itemize-changes " +
    "--out-format= --log-file=write --list-only --bwlimit= --password-file=read --outbuf= --ipv4 --ipv6 --help --version",
  operands: kindsOf,
  // Everything below a folder is copied.
  search: (parsed) => ({
    ...everything,
    links: parsed.has("-L", "--copy-links", "--copy-unsafe-links", "-k", "--copy-dirlinks"),
  }),
};
