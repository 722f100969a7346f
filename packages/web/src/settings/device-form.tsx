import type { Device, Role } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useCallback, useRef, useState } from "react";
import { showError } from "../state/run-command.ts";
import { Button } from "../ui/button.tsx";
import { ChoiceField } from "./choice-field.tsx";

export interface DeviceFormProps {
  /** `url` is the sign-in link, which is shown only once. */
  readonly onAdded: (device: Device & { readonly url: string }) => void;
}

/** Creates a token. */
export function DeviceForm({ onAdded }: DeviceFormProps) {
  const { api } = useLandline();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("control");
  // Returns the focus to the button that opened the form.
  const comesBack = useRef(false);
  const focusAgain = useCallback((button: HTMLButtonElement | null) => {
    if (comesBack.current) button?.focus();
    if (button) comesBack.current = false;
  }, []);
  const [isAdding, setAdding] = useState(false);
  const add = async () => {
    setAdding(true);
    try {
      const device = await api.addDevice({ name: name.trim(), role });
      setOpen(false);
      setName("");
      onAdded(device);
    } catch (error) {
      showError(error);
    } finally {
      setAdding(false);
    }
  };
  return isOpen ? (
    <form
      aria-label="Add a device"
      className="flex flex-col gap-4 rounded-card border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label className="flex flex-col gap-1 text-sm font-medium">
        Name
        <input
          ref={focusOn}
          value={name}
          required
          maxLength={100}
          placeholder="Phone"
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          className="touchable h-8 rounded-input border border-line bg-page px-2 text-sm font-normal"
        />
      </label>
      <ChoiceField<Role>
        legend="It may"
        value={role}
        choices={[
          { value: "control", name: "Work with agents" },
          { value: "watch", name: "Watch" },
          { value: "admin", name: "Everything, including devices and sign-ins" },
        ]}
        onChoose={setRole}
      />
      <div className="flex justify-end gap-2">
        <Button
          onClick={() => {
            comesBack.current = true;
            setOpen(false);
          }}
        >
          Cancel
        </Button>
        <Button variant="primary" type="submit" disabled={isAdding || name.trim() === ""}>
          Make a link
        </Button>
      </div>
    </form>
  ) : (
    <Button ref={focusAgain} className="self-start" onClick={() => setOpen(true)}>
      Add a device
    </Button>
  );
}

/** The field appears where the person just clicked. */
function focusOn(field: HTMLInputElement | null): void {
  field?.focus();
}
