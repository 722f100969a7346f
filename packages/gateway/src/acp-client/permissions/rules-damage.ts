import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RulesDamage } from "@landline/protocol";
import { removeTemporaryFiles } from "@landline/system/replace-file";
import { readBounded, unusable, writeWhole } from "./rules-file.ts";

const mostBytes = 64 * 1024;

/**
 * A note beside the rules file that records that it was damaged. It stays until a person acknowledges it: the damaged
 * file may have contained deny and ask rules that are now lost.
 */
export class RulesDamageNote {
  readonly #path: string;
  readonly #listeners = new Set<(damage: RulesDamage | null) => void>();
  #damage: RulesDamage | null;

  private constructor(path: string, damage: RulesDamage | null) {
    this.#path = path;
    this.#damage = damage;
  }

  static async open(rulesPath: string): Promise<RulesDamageNote> {
    const path = join(dirname(rulesPath), "rules-damage.json");
    await removeTemporaryFiles(path);
    const file = await readBounded(path, mostBytes);
    return new RulesDamageNote(path, file === null ? null : damageOf(file.text));
  }

  get damage(): RulesDamage | null {
    return this.#damage;
  }

  async write(damage: RulesDamage): Promise<void> {
    await writeWhole(this.#path, damage);
    this.#put(damage);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true }).catch((error: unknown) => {
      throw unusable(this.#path, "can't be removed", error);
    });
    if (this.#damage !== null) this.#put(null);
  }

  watch(listener: (damage: RulesDamage | null) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #put(damage: RulesDamage | null): void {
    this.#damage = damage;
    for (const listener of this.#listeners) listener(damage);
  }
}

/** An unreadable note still counts as a note. */
function damageOf(text: string | null): RulesDamage {
  let content: unknown;
  try {
    content = JSON.parse(text ?? "");
  } catch {
    content = null;
  }
  const { movedTo, reason, at } = (content ?? {}) as Readonly<Record<string, unknown>>;
  return {
    movedTo: typeof movedTo === "string" ? movedTo : null,
    reason: typeof reason === "string" ? reason : "the reason is unknown",
    at: typeof at === "number" ? at : 0,
  };
}
