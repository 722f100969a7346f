/** Where the bundles are. */
export declare const dist: string;
export declare function wantedName(): string;
export declare function findFresh(): string | null;
export declare function folders(): string[];
export const serveFlags: readonly string[];
