import { acp } from "./acp.ts";
import { agent } from "./agent.ts";
import { attach } from "./attach.ts";
import { browser } from "./browser.ts";
import { capacity } from "./capacity.ts";
import { sandboxSuite } from "./sandbox.ts";
import { fanOut, loadedFanOut } from "./fan-out.ts";
import type { Suite } from "./figure.ts";
import { flood } from "./flood.ts";
import { folding } from "./fold.ts";
import { idle } from "./idle.ts";
import { shellAnalysis } from "./shell-analysis.ts";
import { latency } from "./latency.ts";
import { logPath } from "./log-path.ts";
import { bigLines, pipe } from "./pipe.ts";
import { replay } from "./replay.ts";
import { trips } from "./round-trips.ts";
import { slowViewer } from "./slow-viewer.ts";
import { throughput } from "./throughput.ts";

export const suites: readonly Suite[] = [
  pipe,
  bigLines,
  logPath,
  replay,
  folding,
  attach,
  throughput,
  fanOut,
  loadedFanOut,
  latency,
  slowViewer,
  trips,
  acp,
  flood,
  capacity,
  idle,
  shellAnalysis,
  sandboxSuite,
  agent,
  browser,
];
