import { LandlineProvider } from "@landline/client/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { registerServiceWorker } from "./app/service-worker.ts";
import { landline } from "./state/landline.ts";
import "./theme.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <LandlineProvider landline={landline}>
      <App />
    </LandlineProvider>
  </StrictMode>,
);

if (import.meta.env.PROD) void registerServiceWorker();
