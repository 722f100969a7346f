import type { Me } from "@landline/client";
import { useConnection, useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";

/** Asked again with every new connection: names may have come and gone. What was heard stays meanwhile. */
export function useMeHeard(): Me | null {
  const landline = useLandline();
  const { state } = useConnection();
  const [me, setMe] = useState<Me | null>(null);
  useEffect(() => {
    if (state !== "online") return undefined;
    let isWanted = true;
    landline.api.me().then(
      (heard) => isWanted && setMe(heard),
      // The connection says what is wrong with the line.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [landline, state]);
  return me;
}
