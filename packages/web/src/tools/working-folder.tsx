import { useView } from "../state/session.tsx";
import { shownPath } from "./paths.ts";

/** Where something runs: nothing more to say when it is the folder of the session. */
export function WorkingFolder({ path }: { readonly path: string }) {
  const cwd = useView((view) => view.session.cwd, "");
  return (
    <span title={path} className="block text-xs text-soft">
      in {path === cwd ? path : shownPath(path, cwd)}
    </span>
  );
}
