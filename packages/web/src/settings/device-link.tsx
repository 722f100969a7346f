import { isLoopbackUrl } from "@landline/system/loopback";
import { CopyButton } from "../content/copy-button.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";

export interface DeviceLinkProps {
  readonly name: string;
  readonly url: string;
}

/** The sign-in link of a new device, shown only once. */
export function DeviceLink({ name, url }: DeviceLinkProps) {
  return (
    <section
      aria-label={`The link of ${name}`}
      tabIndex={-1}
      ref={focusOn}
      className="flex flex-col gap-2 rounded-card border border-line bg-raised p-4 text-sm outline-none"
    >
      <p>
        Open this link on <b>{name}</b>. It gives access, so do not share it. It is not shown again.
      </p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 grow rounded-input bg-page px-2 py-1 font-mono [overflow-wrap:anywhere]">
          {url}
        </code>
        <CopyButton text={url} />
      </div>
      {isLoopbackUrl(url) ? <OnlyHere host={new URL(url).host} /> : null}
    </section>
  );
}

function OnlyHere({ host }: { readonly host: string }) {
  return (
    <p className="text-soft">
      <b className="font-medium text-ink">It works only where the gateway runs</b>, because it
      points to{" "}
      <TextWithCode
        text={`\`${host}\`. For other devices, put a tunnel or a proxy with TLS in front of the gateway, and start it with \`npm start -- --public-url https://…\`: links then use that URL. In a network that you trust, \`--host\` with \`--insecure-lan\` works without; docs/cli.md explains the risk.`}
      />
    </p>
  );
}

/** Moves the focus to the new link. */
function focusOn(element: HTMLElement | null): void {
  element?.focus({ preventScroll: false });
}
