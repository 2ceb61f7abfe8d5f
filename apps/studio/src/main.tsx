import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createConnection, createQueryClient } from "./api/connection.ts";
import { createStudioRouter } from "./router.tsx";
import "./styles.css";
import { startTexts } from "./texts/language.ts";

const connection = createConnection();
const client = createQueryClient(connection);
const router = createStudioRouter(connection);

await startTexts();
const place = document.getElementById("root");
if (place)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
