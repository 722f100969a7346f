/** Builds in a folder, each named by the hash of its sources. */
export interface NamedBuilds {
  readonly dist: string;
  /** The name of the build of the current sources; null if there are no sources. */
  wantedName(): string | null;
  /** The folder of the build of the current sources; null if they are not built. */
  findFresh(): string | null;
  /** Whether the sources are already built. Marks that build as the newest. */
  useFresh(): boolean;
  /** All builds, newest first. */
  folders(): string[];
}
export const bundle: NamedBuilds;
export const page: NamedBuilds;
/** Of the bundle. */
export declare function findFresh(): string | null;
/** Of the bundle. */
export declare function folders(): string[];
export const serveFlags: readonly string[];
