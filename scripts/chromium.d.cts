/** The path of a Chromium or Chrome; throws with what to do when there is none. */
export declare function findChromium(): string;
