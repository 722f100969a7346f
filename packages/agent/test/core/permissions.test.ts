import { describe, expect, test } from "vitest";
import type { PermissionRequest, Rule } from "../../src/permission/rule.ts";
import { calls, SessionFixture, says, tool } from "./session-fixture.ts";

const asking = (permission: string): Rule => ({ permission, pattern: "*", action: "ask" });
const permission = "external_directory";
const place = (access: "read" | "change"): PermissionRequest => ({
  permission,
  patterns: [{ pattern: "/etc/*", access }],
  always: ["/etc/*"],
  alwaysAs: { permission, access },
  because: ["/etc/x is outside the project"],
});
const command: PermissionRequest = {
  permission: "bash",
  patterns: ["make"],
  always: ["make *"],
  because: ["/project/Makefile runs code of the project"],
};

/** A session whose model calls tools with these requests, one after another. */
function rigFor(...wanted: (readonly PermissionRequest[])[]): SessionFixture {
  const tools = wanted.map((requests, index) =>
    tool(`tool${index}`, async (_input, context) => {
      await context.ask(...requests);
      return { output: "ran" };
    }),
  );
  const made = tools.map(({ name }) => calls({ tool: name, input: {} }));
  const user = [asking(permission), asking("bash")];
  return new SessionFixture({
    replies: [...made, says("Done.")],
    tools,
    config: { rules: { user, project: [] } },
  });
}

const asked = (fixture: SessionFixture) =>
  fixture.questions.map(({ requests }) => requests.map((request) => request.permission));

describe("a call with several requests", () => {
  test("is one question, and “always” remembers all of them", async () => {
    const both = [place("read"), command];
    const fixture = rigFor(both, both, [place("read")], [command], [place("change")]);
    fixture.decide = () => Promise.resolve({ answer: "always" });
    await fixture.prompt("Go");
    expect(asked(fixture)).toEqual([[permission, "bash"], [permission]]);
    expect(fixture.session.state.approved).toEqual([
      { permission, access: "read", pattern: "/etc/*", action: "allow" },
      { permission: "bash", pattern: "make *", action: "allow" },
      { permission, access: "change", pattern: "/etc/*", action: "allow" },
    ]);
  });

  test("asks only about what is not allowed yet", async () => {
    const fixture = rigFor([place("read")], [place("read"), command], [place("read"), command]);
    fixture.decide = ({ requests }) =>
      Promise.resolve({ answer: requests[0]?.permission === permission ? "always" : "once" });
    await fixture.prompt("Go");
    expect(asked(fixture)).toEqual([[permission], ["bash"], ["bash"]]);
  });

  test("is refused if one of them is denied, without a question", async () => {
    const fixture = rigFor([place("read"), command]);
    fixture.session.append({
      kind: "rule-approved",
      rules: [{ permission: "bash", pattern: "make *", action: "deny" }],
    });
    await fixture.prompt("Go");
    expect(fixture.questions).toEqual([]);
    expect(fixture.ended()).toMatchObject([{ status: "failed" }]);
  });
});

test("an approval of an earlier version for a place outside covers reading", async () => {
  const fixture = rigFor([place("read")], [place("change")]);
  const rules: Rule[] = [{ permission, pattern: "/etc/*", action: "allow" }];
  fixture.session.append({ kind: "rule-approved", rules });
  await fixture.prompt("Go");
  expect(fixture.questions.map(({ requests }) => requests[0]?.alwaysAs?.access)).toEqual([
    "change",
  ]);
});

test("reasons use relative paths inside the project", async () => {
  const fixture = rigFor([place("read"), command]);
  await fixture.prompt("Go");
  expect(fixture.questions[0]?.requests.map(({ because }) => because)).toEqual([
    ["/etc/x is outside the project"],
    ["Makefile runs code of the project"],
  ]);
});
