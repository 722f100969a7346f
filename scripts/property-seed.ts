import { configureGlobal, readConfigureGlobal } from "fast-check";

// All property tests use one seed, so that results are reproducible. `npm run test:random` uses a new seed for each
// property.
const seed = 20_261_117;

if (process.env["PROPERTY_SEED"] !== "random") configureGlobal({ ...readConfigureGlobal(), seed });
