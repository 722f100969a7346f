import { isRecord } from "@landline/system/json";
import { authMethodsToV2 } from "./session-options.ts";
import { fieldsOf, type Fields } from "./translator.ts";

/** Declared in `clientCapabilities._meta`, so that the gateway sends `TURN_METHOD`. */
export const TURNS_CAPABILITY = "landline/turns";

/** Declares everything that version 2 requires of every client. */
export function initializeToV1({ info, capabilities, _meta }: Fields): Fields {
  const { auth, elicitation, ...rest } = fieldsOf(capabilities);
  return {
    protocolVersion: 1,
    ...(isRecord(info) && { clientInfo: info }),
    clientCapabilities: {
      ...rest,
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      auth: { terminal: isRecord(fieldsOf(auth)["terminal"]) },
      ...(isRecord(elicitation) && { elicitation }),
      _meta: { ...fieldsOf(rest["_meta"]), [TURNS_CAPABILITY]: true },
    },
    ...(_meta !== undefined && { _meta }),
  };
}

export function initializeToV2({
  agentInfo,
  agentCapabilities,
  authMethods,
  _meta,
}: Fields): Fields {
  const { promptCapabilities, mcpCapabilities, sessionCapabilities } = fieldsOf(agentCapabilities);
  const prompt = fieldsOf(promptCapabilities);
  const { additionalDirectories } = fieldsOf(sessionCapabilities);
  return {
    protocolVersion: 2,
    info: agentInfo ?? { name: "unknown", version: "unknown" },
    capabilities: {
      session: {
        prompt: {
          ...marker("image", prompt["image"]),
          ...marker("audio", prompt["audio"]),
          ...marker("embeddedContext", prompt["embeddedContext"]),
        },
        mcp: { stdio: {}, ...marker("http", fieldsOf(mcpCapabilities)["http"]) },
        delete: {},
        ...(isRecord(additionalDirectories) && { additionalDirectories }),
      },
    },
    authMethods: authMethodsToV2(authMethods),
    ...(_meta !== undefined && { _meta }),
  };
}

function marker(name: string, value: unknown): Fields {
  return value === true ? { [name]: {} } : {};
}
