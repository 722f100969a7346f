import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Every colour of code.css with the surface of theme.css behind it. */
const css = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const pair = /--([\w-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)/gu;

function coloursOf(text: string): Map<string, readonly [light: string, dark: string]> {
  return new Map(
    Array.from(text.matchAll(pair), ([, name = "", light = "", dark = ""]) => [
      name,
      [light, dark],
    ]),
  );
}

/** The WCAG relative luminance of "L C H". */
function luminance(oklch: string): number {
  const [lightness = 0, chroma = 0, hue = 0] = oklch.split(" ").map(Number);
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const red = clamp(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short);
  const green = clamp(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short);
  const blue = clamp(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe("colours of code and terminals", () => {
  const ground = coloursOf(css("../theme.css")).get("sunken") ?? ["", ""];
  const colours = coloursOf(css("./code.css"));

  it("are all defined", () => {
    expect(colours.size).toBe(18);
    expect(ground[0]).not.toBe("");
  });

  it.each([...colours])("%s has enough contrast in light and dark", (_name, [light, dark]) => {
    expect(contrast(light, ground[0])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark, ground[1])).toBeGreaterThanOrEqual(4.5);
  });
});
