export { bridgeReady, bridgeRefusal, toBridge } from "./compat/dialects/bridge.ts";
export type {
  BridgeBody,
  BridgeFrame,
  BridgeOptions,
  BridgeRefusal,
  BridgeStamp,
  SessionReady,
} from "./compat/dialects/bridge-frame.ts";
export { toCodeopen } from "./compat/dialects/codeopen.ts";
export type { CodeopenData, CodeopenFrame } from "./compat/dialects/codeopen.ts";
export { Hits } from "./compat/normalise/hits.ts";
export type { NormaliseRule } from "./compat/normalise/hits.ts";
export { normaliseMessage } from "./compat/normalise/message.ts";
export { normaliseParams } from "./compat/normalise/params.ts";
export type { ConnectionFacts } from "./compat/normalise/params.ts";
export { normaliseResult } from "./compat/normalise/result.ts";
export { normaliseUpdate } from "./compat/normalise/update.ts";
