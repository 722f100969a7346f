/** The first Tab stop. It moves the focus without changing the hash, which is the route. */
export function SkipLink() {
  return (
    <a
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-input focus:bg-float focus:px-3 focus:py-2 focus:text-sm focus:shadow-float"
    >
      Skip to the conversation
    </a>
  );
}
