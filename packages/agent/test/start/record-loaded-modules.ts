import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Imported before a program: records every loaded module in the file `LOADED_MODULES`. */
const { LOADED_MODULES: notes = "" } = process.env;
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(notes, `${url}\n`);
    return nextLoad(url, context);
  },
});
