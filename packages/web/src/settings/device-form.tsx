import type { Role } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useState } from "react";
import { CopyButton } from "../content/copy-button.tsx";
import { showFailure } from "../state/act.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "./choice.tsx";

export interface DeviceFormProps {
  readonly onAdded: () => void;
}

/** Makes a token, and shows its link: once, since nobody can tell it again. */
export function DeviceForm({ onAdded }: DeviceFormProps) {
  const { api } = useLandline();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("control");
  const [made, setMade] = useState<{ readonly name: string; readonly url: string } | null>(null);
  const [isAdding, setAdding] = useState(false);
  const add = async () => {
    setAdding(true);
    try {
      const device = await api.addDevice({ name: name.trim(), role });
      setMade({ name: device.name, url: device.url });
      setOpen(false);
      setName("");
      onAdded();
    } catch (error) {
      showFailure(error);
    } finally {
      setAdding(false);
    }
  };
  return (
    <>
      {made ? <Made {...made} /> : null}
      {isOpen ? (
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
              value={name}
              required
              maxLength={100}
              placeholder="Phone"
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              className="touchable h-8 rounded-input border border-line bg-page px-2 text-sm font-normal"
            />
          </label>
          <Choice<Role>
            legend="It may"
            value={role}
            choices={[
              { value: "control", name: "Do everything" },
              { value: "watch", name: "Watch" },
            ]}
            onChoose={setRole}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button look="primary" type="submit" disabled={isAdding || name.trim() === ""}>
              Make a link
            </Button>
          </div>
        </form>
      ) : (
        <Button className="self-start" onClick={() => setOpen(true)}>
          Add a device
        </Button>
      )}
    </>
  );
}

interface MadeProps {
  readonly name: string;
  readonly url: string;
}

function Made({ name, url }: MadeProps) {
  return (
    <div className="flex flex-col gap-2 rounded-card border border-line bg-raised p-4 text-sm">
      <p>
        Open this link on <b>{name}</b>. It is a key: give it to nobody else. It is not shown again.
      </p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 grow rounded-input bg-page px-2 py-1 font-mono [overflow-wrap:anywhere]">
          {url}
        </code>
        <CopyButton text={url} />
      </div>
    </div>
  );
}
