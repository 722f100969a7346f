import type { Device } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useCallback, useEffect, useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { useIsAdmin, useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { DeviceForm } from "./device-form.tsx";
import { DeviceLink } from "./device-link.tsx";
import { roleText } from "./role-text.ts";
import { useLoaded } from "../state/use-loaded.ts";

/** The devices and their roles. */
export function Devices() {
  const { api, me } = useLandline();
  const isAdmin = useIsAdmin();
  const role = useMe()?.role ?? "watch";
  const load = useCallback(
    async () => (isAdmin ? (await api.listDevices()).devices : []),
    [api, isAdmin],
  );
  const { value: devices, failure, reload } = useLoaded(load);
  // The gateway pushes changes of the devices through `me`.
  useEffect(() => me.subscribe(reload), [me, reload]);
  const [revoked, setRevoked] = useState<Device | null>(null);
  const [made, setMade] = useState<(Device & { readonly url: string }) | null>(null);
  if (!isAdmin) {
    return (
      <p className="text-sm text-soft">
        Only an admin can see the devices. This browser {roleText[role].toLowerCase()}.
      </p>
    );
  }
  return (
    <section aria-label="Devices" className="flex flex-col gap-4">
      <p className="text-sm text-soft">
        Each browser or program has its own token. If you revoke it, the device loses access
        immediately.
      </p>
      {failure === null ? null : <p className="text-sm text-bad">{failure}</p>}
      {devices === null && failure === null ? (
        <p className="text-sm text-soft">Loading devices…</p>
      ) : null}
      {devices ? (
        <ul className="divide-y divide-line rounded-card border border-line">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} onRevoke={() => setRevoked(device)} />
          ))}
        </ul>
      ) : null}
      {made ? <DeviceLink key={made.id} name={made.name} url={made.url} /> : null}
      <DeviceForm
        onAdded={(device) => {
          setMade(device);
          reload();
        }}
      />
      {revoked ? (
        <Revoke
          device={revoked}
          onClose={() => setRevoked(null)}
          onDone={() => {
            setRevoked(null);
            // The link of a revoked device is useless.
            if (made?.id === revoked.id) setMade(null);
            reload();
          }}
        />
      ) : null}
    </section>
  );
}

interface DeviceRowProps {
  readonly device: Device;
  readonly onRevoke: () => void;
}

function DeviceRow({ device, onRevoke }: DeviceRowProps) {
  const { role, madeAt, isThis } = device;
  // The device of LANDLINE_TOKEN was not created here and can't be revoked.
  const isGateways = madeAt === 0;
  const name = isGateways ? "The gateway's own token" : device.name;
  const mayDo = roleText[role];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
      <span className="min-w-0 grow">
        <span className="block truncate">
          {name} {isThis ? <Chip tone="accent">This browser</Chip> : null}
        </span>
        <span className="block text-xs text-soft">
          {isGateways ? (
            `${mayDo} · from ${device.name}, where the gateway was started`
          ) : (
            <>
              {mayDo} · made <RelativeTime at={madeAt} />
            </>
          )}
        </span>
      </span>
      {isGateways ? null : (
        <Button variant="bad" aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  );
}

interface RevokeProps {
  readonly device: Device;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Revoke({ device, onClose, onDone }: RevokeProps) {
  const { api } = useLandline();
  const revoke = async () => {
    if (await runCommand(api.removeDevice({ id: device.id }))) onDone();
  };
  return (
    <Dialog
      title={`Revoke “${device.name}”?`}
      about={
        device.isThis
          ? "That is this browser, which loses access immediately. Run `npx landline token url` where the gateway runs to come back."
          : "It loses access immediately, and its link no longer works."
      }
      isOpen
      onClose={onClose}
    >
      <div className="flex justify-end gap-2">
        <Button data-autofocus onClick={onClose}>
          Keep
        </Button>
        <Button variant="bad" onClick={() => void revoke()}>
          Revoke
        </Button>
      </div>
    </Dialog>
  );
}
