/** The path of a program; null if there is none. */
export declare function find(name: "strace" | "bwrap"): string | null;
/** Where programs can be installed without a password, a missing one is an error, and tests are not skipped. */
export declare function isRequired(): boolean;
