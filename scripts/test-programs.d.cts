/** The path of a program; null when there is none. */
export declare function find(name: "strace" | "bwrap"): string | null;
/** Where programs can be installed without a password, a missing one is an error and no reason to skip tests. */
export declare function isRequired(): boolean;
