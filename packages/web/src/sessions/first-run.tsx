/** What this is, to somebody who has no conversation yet. */
export function FirstRun() {
  return (
    <p>
      Landline runs coding agents on your machine, keeps everything they do, and lets you follow and
      answer them from any browser.
    </p>
  );
}

export function NoAgent() {
  return (
    <section aria-label="No agent" className="rounded-card border border-line bg-raised px-4 py-3">
      <h2 className="font-semibold">No agent was found</h2>
      <p className="text-sm text-soft">
        Install one of those below where the gateway runs. It is noticed by itself.
      </p>
    </section>
  );
}
