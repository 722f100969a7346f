import { attach } from "./attach.ts";
import type { Suite } from "./figure.ts";
import { folding } from "./fold.ts";
import { wholeGateway } from "./gateway.ts";
import { logPath } from "./log-path.ts";
import { bigLines, pipe } from "./pipe.ts";
import { replay } from "./replay.ts";

export const suites: readonly Suite[] = [
  pipe,
  bigLines,
  logPath,
  replay,
  folding,
  attach,
  wholeGateway,
];
