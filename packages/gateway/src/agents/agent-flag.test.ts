import { resolve } from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { LandlineError } from "@landline/protocol";
import { expect, test } from "vitest";
import { shellLine } from "@landline/system/shell-words";
import { parseAgentFlag } from "./agent-flag.ts";

test.each([
  ["mine=agent", "agent", []],
  ["mine=agent --acp -v", "agent", ["--acp", "-v"]],
  ["mine =  agent\t--acp ", "agent", ["--acp"]],
  ["mine=/opt/agent --model=a=b", "/opt/agent", ["--model=a=b"]],
  ["mine=./agent", resolve("agent"), []],
  [`mine='my agent' "two words" a\\ b`, "my agent", ["two words", "a b"]],
  [`mine=agent "" ''`, "agent", ["", ""]],
  [`mine=agent --x="a 'b' \\"c\\" \\n $HOME"`, "agent", [`--x=a 'b' "c" \\n $HOME`]],
  [`mine=agent 'a\\b'`, "agent", ["a\\b"]],
])("%s", (flag, command, args) => {
  expect(parseAgentFlag(flag)).toEqual({ id: "mine", command, args });
});

test.each([
  "tcp://[::1]:4000",
  "ws://box:4000/acp?agent=a",
  "wss://box/acp",
  "https://box/acp",
  "http://127.0.0.1:3001/acp",
])("the address %s", (endpoint) => {
  expect(parseAgentFlag(`far=${endpoint}`)).toEqual({ id: "far", endpoint });
});

test.each([
  ["agent", 'no "="'],
  ["=agent", "a name with"],
  ["my agent=x", "a name with"],
  ["mine=", "no command"],
  ["mine=  ", "no command"],
  ["mine='' x", "no command"],
  ["mine=agent 'x", "' that is not closed"],
  ['mine=agent "x', '" that is not closed'],
  ["mine=agent \\", "ends with a backslash"],
  ["far=tcp://host", "not the address of an agent"],
  ["far=http://host:1", "not the address of an agent"],
  ["far=wss://user:secret@host/acp", "not the address of an agent"],
  ["far=tcp://host:1/path", "not the address of an agent"],
  ["far=tcp://host:99999", "not the address of an agent"],
])("%s is refused", (flag, words) => {
  expect(() => parseAgentFlag(flag)).toThrow(LandlineError);
  expect(() => parseAgentFlag(flag)).toThrow(words);
});

const word = fc.string({ unit: "grapheme", minLength: 1 });

property.prop([word, fc.array(fc.string({ unit: "grapheme" }))])(
  "a displayed command line is parsed to the same words",
  (command, args) => {
    // A path is resolved; text that looks like an address is one.
    fc.pre(!command.includes("/"));
    expect(parseAgentFlag(`x=${shellLine([command, ...args])}`)).toEqual({
      id: "x",
      command,
      args,
    });
  },
);
