import { symlink } from "node:fs/promises";
import * as path from "node:path";
import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const permission = {
  read: { "secrets/*": "deny", "drafts/*": "ask" },
  edit: { "locked/*": "deny" },
};

const lines = [
  ["cat src/a.md", "free"],
  ["rg pelican src", "free"],
  ["ls secrets", "free"],
  ["cat secrets/a.md", "refused"],
  ["cat link.md", "refused"],
  ["head -n 1 src/a.md secrets/a.md", "refused"],
  ["cat drafts/a.md", "asked"],
  ["rg pelican", "asked"],
  ["rg pelican drafts", "asked"],
  ["echo x > locked/a.md", "refused"],
  ["rm locked/a.md", "refused"],
  ["touch src/b.md", "asked"],
] as const;

export const rulesForCommands: Task = {
  name: "rules for reading and editing files apply to commands too",
  files: {
    "landline.json": JSON.stringify({ permission }),
    "src/a.md": "pelican\n",
    "secrets/a.md": "heron\n",
    "drafts/a.md": "stork\n",
    "locked/a.md": "egret\n",
  },
  async act(user, { folder }) {
    await symlink("secrets/a.md", path.join(folder, "link.md"));
    user.decide = () => "reject_once";
    await user.prompt(`Run these lines, one by one:\n${lines.map(([line]) => line).join("\n")}`);
  },
  async outcome({ repository }) {
    expect(await repository.read("locked/a.md")).toBe("egret\n");
  },
  script: {
    lines: [...lines.map(([command]) => calls(["bash", { command }])), "Done."],
    transcript({ user, requests }) {
      const became = lines.map(([line], index) => {
        const said = results(requests[index + 1]!);
        if (said.includes("A rule of this mode or of the person's config refuses"))
          return [line, "refused"];
        return [line, said.includes("The person refused this") ? "asked" : "free"];
      });
      expect(became).toEqual(lines);
      expect(JSON.stringify(requests)).not.toMatch(/heron|stork/);
      expect(user.asks).toHaveLength(4);
      const [draft] = user.asks;
      expect(draft?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
      expect(draft?.toolCall.content).toMatchObject([
        { content: { text: 'Asked because a rule is about reading "drafts/a.md".' } },
      ]);
    },
  },
};
