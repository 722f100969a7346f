// @vitest-environment happy-dom
import type { Device } from "@landline/client";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { show } from "../../test/fake-landline.tsx";
import { Devices } from "./devices.tsx";

afterEach(cleanup);

function gatewayAt(origin: string) {
  let devices: readonly Device[] = [];
  return {
    listDevices: () => Promise.resolve({ devices }),
    addDevice: ({ name, role }: Pick<Device, "name" | "role">) => {
      const device: Device = { id: name, name, role, madeAt: 1, isThis: false };
      devices = [...devices, device];
      return Promise.resolve({ ...device, token: "t", url: `${origin}/?token=t` });
    },
    removeDevice: ({ id }: { readonly id: string }) => {
      devices = devices.filter((device) => device.id !== id);
      return Promise.resolve({ id, isThis: false });
    },
  };
}

async function add(name: string) {
  await userEvent.click(screen.getByRole("button", { name: "Add a device" }));
  // By keyboard: the name field has the focus.
  await userEvent.keyboard(`${name}{Enter}`);
  return screen.findByRole("region", { name: `The link of ${name}` });
}

test("a loopback link has a warning, and disappears when its device is revoked", async () => {
  show(<Devices />, { api: gatewayAt("http://127.0.0.1:3001") });
  const link = await add("Phone");
  expect(link.textContent).toContain("It works only where the gateway runs");
  await userEvent.click(await screen.findByRole("button", { name: "Revoke Phone" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.click(dialog.getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(screen.queryByText(/token=t/)).toBeNull());
});

test("a link that other computers can reach has no warning", async () => {
  show(<Devices />, { api: gatewayAt("https://landline.example.com") });
  expect((await add("Phone")).textContent).not.toContain("where the gateway runs");
});

test("a device that another client added appears at once", async () => {
  const api = gatewayAt("https://landline.example.com");
  let tell = () => {};
  const me = {
    subscribe: (listener: () => void) => {
      tell = listener;
      return () => undefined;
    },
    getSnapshot: () => null,
  };
  show(<Devices />, { api, me });
  await api.addDevice({ name: "Screen", role: "watch" });
  tell();
  expect(await screen.findByText("Screen")).toBeDefined();
});

test("closing the form returns the focus to its button", async () => {
  show(<Devices />, { api: gatewayAt("https://landline.example.com") });
  await userEvent.click(screen.getByRole("button", { name: "Add a device" }));
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Add a device" }));
});
