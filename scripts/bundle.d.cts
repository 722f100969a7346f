/** Builds in a folder, each named for the content of its sources. */
export interface NamedBuilds {
  readonly dist: string;
  /** Null where there are no sources. */
  wantedName(): string | null;
  /** The folder of what was built of the sources as they are; null when it has not been. */
  findFresh(): string | null;
  /** Whether there is nothing to build; what is there is the newest then. */
  useFresh(): boolean;
  /** The newest first. */
  folders(): string[];
}
export const bundle: NamedBuilds;
export const page: NamedBuilds;
/** Of the bundle. */
export declare function findFresh(): string | null;
/** Of the bundle. */
export declare function folders(): string[];
export const serveFlags: readonly string[];
