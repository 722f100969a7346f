import { spawnSync } from "node:child_process";
import { find, isRequired } from "../../../scripts/test-programs.cjs";

const bwrap = find("bwrap");
const works =
  bwrap !== null && spawnSync(bwrap, ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;

/** If the kernel refuses namespaces, there is nothing to test; if the set-up installs bubblewrap, it must work. */
export const isSkipped: boolean = !works && (bwrap !== null || !isRequired());
