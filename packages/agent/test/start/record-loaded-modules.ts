import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Imported before a program: notes every module that it loads in the file that `LOADED_MODULES` names. */
const { LOADED_MODULES: notes = "" } = process.env;
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(notes, `${url}\n`);
    return nextLoad(url, context);
  },
});
