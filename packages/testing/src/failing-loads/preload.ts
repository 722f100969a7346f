import { registerHooks } from "node:module";

/** Fails the first load of each named module with EMFILE, as without free file descriptors. */
const failing = new Set((process.env["LANDLINE_TEST_FAILING_LOADS"] ?? "").split(" "));

registerHooks({
  load(url, context, next) {
    for (const name of failing) {
      if (name === "" || !url.endsWith(name)) continue;
      failing.delete(name);
      throw Object.assign(new Error(`EMFILE: too many open files, open '${url}'`), {
        code: "EMFILE",
      });
    }
    return next(url, context);
  },
});
