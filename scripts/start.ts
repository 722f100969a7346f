// Set-up is done by now. Whatever was given after `npm start --` is for `landline serve`.
process.argv.splice(2, 0, "serve", "--next-port");
await import("../packages/cli/src/start.ts");
