console.log(`Landline is set up and runs on Node ${process.versions.node}.

There is nothing to serve yet: the protocol, the log and the agent connection stand, the gateway is
next. docs/architecture.md shows what is where; npm test runs all of it.`);
