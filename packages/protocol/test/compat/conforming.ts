import * as fc from "fast-check";

/** Arbitrary values that conform to the v1 schema, each with fields that the schema does not know. */
type Value = fc.Arbitrary<Record<string, unknown>>;

// No seed uses a name with this prefix.
const unknownFields = fc.dictionary(
  fc.string({ maxLength: 8 }).map((name) => `x-${name}`),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
);

function record(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): Value {
  const known = fc.record(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  );
  return fc
    .tuple(unknownFields, known)
    .map(([unknown, fields]) =>
      Object.fromEntries([...Object.entries(unknown), ...Object.entries(fields)]),
    );
}

function list(items: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc.array(items, { maxLength: 3 });
}

const text = fc.string({ maxLength: 12 });
const uri = fc.constantFrom("file:///repo/a.ts", "https://example.com/", "x");
const pairs = list(record({ name: text, value: text }));

export const block = fc.oneof(
  record({ type: fc.constant("text"), text }),
  record({ type: fc.constant("image"), data: text, mimeType: text }, { uri: fc.option(uri) }),
  record({ type: fc.constant("audio"), data: text, mimeType: text }),
  record({ type: fc.constant("resource_link"), name: text, uri }, { mimeType: fc.option(text) }),
  record({ type: fc.constant("resource"), resource: record({ uri, text }) }),
);

const toolFields = {
  name: fc.option(text),
  kind: fc.constantFrom("read", "edit", "execute", "other"),
  status: fc.constantFrom("pending", "in_progress", "completed", "failed"),
  content: list(
    fc.oneof(
      record({ type: fc.constant("content"), content: block }),
      record(
        { type: fc.constant("diff"), path: text, newText: text },
        { oldText: fc.option(text) },
      ),
      record({ type: fc.constant("terminal"), terminalId: text }),
    ),
  ),
  locations: list(record({ path: text }, { line: fc.option(fc.nat()) })),
  rawInput: fc.jsonValue({ maxDepth: 2 }),
  rawOutput: fc.jsonValue({ maxDepth: 2 }),
};

const modes = record({
  currentModeId: text,
  availableModes: list(record({ id: text, name: text }, { description: fc.option(text) })),
});
const configOptions = list(
  fc.oneof(
    record({
      id: text,
      name: text,
      type: fc.constant("select"),
      currentValue: text,
      options: list(record({ value: text, name: text })),
    }),
    record({ id: text, name: text, type: fc.constant("boolean"), currentValue: fc.boolean() }),
  ),
);

function update(
  kind: string,
  required: Record<string, fc.Arbitrary<unknown>>,
  optional = {},
): Value {
  return record({ sessionUpdate: fc.constant(kind), ...required }, optional);
}

export const conformingUpdate = fc.oneof(
  update("user_message_chunk", { content: block }, { messageId: fc.option(text) }),
  update("agent_message_chunk", { content: block }, { messageId: fc.option(text) }),
  update("agent_thought_chunk", { content: block }),
  update("tool_call", { toolCallId: text, title: text }, toolFields),
  update("tool_call_update", { toolCallId: text }, { title: fc.option(text), ...toolFields }),
  update("plan", {
    entries: list(
      record({
        content: text,
        priority: fc.constantFrom("high", "medium", "low"),
        status: fc.constantFrom("pending", "in_progress", "completed"),
      }),
    ),
  }),
  update("available_commands_update", {
    availableCommands: list(
      record({ name: text, description: text }, { input: fc.option(record({ hint: text })) }),
    ),
  }),
  update("current_mode_update", { currentModeId: text }),
  update("config_option_update", { configOptions }),
  update("session_info_update", {}, { title: fc.option(text) }),
  update("usage_update", { used: fc.nat(), size: fc.nat() }),
);

const servers = list(
  fc.oneof(
    record({ name: text, command: text, args: list(text), env: pairs }),
    record({ type: fc.constantFrom("http", "sse"), name: text, url: text, headers: pairs }),
  ),
);
const sessionId = text;

/** Conforming params by method. */
export const conformingParams: Readonly<Record<string, Value>> = {
  initialize: record(
    { protocolVersion: fc.constant(1) },
    { clientCapabilities: record({}, { terminal: fc.boolean() }) },
  ),
  authenticate: record({ methodId: text }),
  "session/new": record({ cwd: text, mcpServers: servers }),
  "session/load": record({ sessionId, cwd: text, mcpServers: servers }),
  "session/resume": record({ sessionId, cwd: text }, { mcpServers: servers }),
  "session/prompt": record({ sessionId, prompt: list(block) }),
  "session/set_mode": record({ sessionId, modeId: text }),
  "session/update": record({ sessionId, update: conformingUpdate }),
  "session/request_permission": record({
    sessionId,
    toolCall: record({ toolCallId: text }, { title: fc.option(text), ...toolFields }),
    options: list(
      record({
        optionId: text,
        name: text,
        kind: fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always"),
      }),
    ),
  }),
  "fs/read_text_file": record({ sessionId, path: text }, { line: fc.option(fc.nat()) }),
  "fs/write_text_file": record({ sessionId, path: text, content: text }),
  "terminal/create": record({ sessionId, command: text }, { args: list(text), env: pairs }),
  "terminal/output": record({ sessionId, terminalId: text }),
};

const sessionOptions = { modes: fc.option(modes), configOptions: fc.option(configOptions) };

/** Conforming results by method. */
export const conformingResults: Readonly<Record<string, Value>> = {
  initialize: record(
    { protocolVersion: fc.constant(1) },
    { agentInfo: fc.option(record({ name: text, version: text })) },
  ),
  "session/new": record({ sessionId }, sessionOptions),
  "session/load": record({}, sessionOptions),
  "session/resume": record({}, sessionOptions),
  "session/set_config_option": record({ configOptions }),
  "session/prompt": record({
    stopReason: fc.constantFrom("end_turn", "max_tokens", "refusal", "cancelled"),
  }),
  "session/request_permission": record({
    outcome: fc.oneof(
      record({ outcome: fc.constant("selected"), optionId: text }),
      record({ outcome: fc.constant("cancelled") }),
    ),
  }),
  "fs/write_text_file": record({}),
  "terminal/output": record({ output: text, truncated: fc.boolean() }),
};
