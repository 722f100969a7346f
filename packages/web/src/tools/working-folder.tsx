import { useView } from "../state/session.tsx";
import { shownPath } from "./paths.ts";

/** The working folder of a command, relative to the session's folder. */
export function WorkingFolder({ path }: { readonly path: string }) {
  const cwd = useView((view) => view.session.cwd, "");
  return (
    <span title={path} className="block text-xs text-soft">
      in {path === cwd ? path : shownPath(path, cwd)}
    </span>
  );
}
