/** The path of Chromium or Chrome; throws with instructions if there is none. */
export declare function findChromium(): string;
