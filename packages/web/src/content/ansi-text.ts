/** The eight terminal colours; code.css defines them. */
export type AnsiColour =
  | "black"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan"
  | "white";

const escape = "\u001b";

/** OSC sequences (titles, links): ESC ] … up to BEL or ESC \, or to the end of the text. They display nothing. */
const unseen = new RegExp(
  `${escape}[\\]PX^_][^\\u0007${escape}]*(?:\\u0007|${escape}\\\\|$)`,
  "gu",
);
const codes = new RegExp(`${escape}(?:\\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)`, "gu");

export function hasCodes(text: string): boolean {
  return text.includes(escape);
}

export function withoutTitles(text: string): string {
  return hasCodes(text) ? text.replaceAll(unseen, "") : text;
}

/** Removes all control sequences. */
export function withoutCodes(text: string): string {
  return hasCodes(text) ? withoutTitles(text).replaceAll(codes, "") : text;
}

const named = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/u;

/** Maps any colour to the nearest one of the palette that has enough contrast. */
export function colourOf(name: string | null, rgb: string | null): AnsiColour | null {
  if (name === null) return null;
  const known = named.exec(name)?.[1];
  if (known !== undefined) return known as AnsiColour;
  const palette = /^ansi-palette-(\d+)$/u.exec(name)?.[1];
  if (palette !== undefined) return nearest(paletteRgb(Number(palette)));
  const parts = (rgb ?? "").split(",").map(Number);
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = parts;
  return Number.isNaN(red + green + blue) ? null : nearest([red, green, blue]);
}

type Rgb = readonly [red: number, green: number, blue: number];

function paletteRgb(index: number): Rgb {
  if (index >= 232) {
    const level = (index - 232) * 10 + 8;
    return [level, level, level];
  }
  const cube = Math.max(0, index - 16);
  return [cubeLevel(cube / 36), cubeLevel((cube / 6) % 6), cubeLevel(cube % 6)];
}

function cubeLevel(step: number): number {
  return step < 1 ? 0 : 55 + Math.floor(step) * 40;
}

const hues = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const;

function nearest([red, green, blue]: Rgb): AnsiColour {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < 40) return most < 128 ? "black" : "white";
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  return hues[Math.round(sixth + 6) % 6] ?? "white";
}
