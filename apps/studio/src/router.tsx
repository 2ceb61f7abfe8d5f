import { createRootRoute, createRoute, createRouter, Outlet, useParams } from "@tanstack/react-router";
import type { ConnectionStore } from "./api/connection.ts";
import { LibraryPage } from "./library/library-page.tsx";
import { Button } from "./parts/button.tsx";
import { Frame } from "./parts/frame.tsx";
import { Locked } from "./parts/locked.tsx";
import { NotFound } from "./parts/not-found.tsx";
import { ErrorNotice } from "./parts/notice.tsx";
import { ProjectPage } from "./project/project-page.tsx";
import { ReaderPage } from "./reader/reader-page.tsx";
import { useTexts } from "./texts/use-texts.ts";

/**
 * Three screens: the library, a book, a chapter; and what a wrong link opens. The server gives the page for each of
 * these addresses.
 */
export function createStudioRouter(connection: ConnectionStore) {
  const root = createRootRoute({
    component: () => (
      <Frame connection={connection}>
        <Outlet />
      </Frame>
    ),
    notFoundComponent: NotFound,
    errorComponent: Crashed,
  });
  const routes = root.addChildren([
    createRoute({ getParentRoute: () => root, path: "/", component: LibraryPage }),
    createRoute({ getParentRoute: () => root, path: "/open", component: () => <Locked wrongLink /> }),
    createRoute({ getParentRoute: () => root, path: "/projects/$projectId", component: ProjectRoute }),
    createRoute({
      getParentRoute: () => root,
      path: "/projects/$projectId/documents/$documentId",
      component: ReaderRoute,
    }),
  ]);
  return createRouter({ routeTree: routes, scrollRestoration: false });
}

function ProjectRoute() {
  const { projectId = "" } = useParams({ strict: false });
  return <ProjectPage key={projectId} projectId={projectId} />;
}

function ReaderRoute() {
  const { projectId = "", documentId = "" } = useParams({ strict: false });
  return <ReaderPage key={documentId} projectId={projectId} documentId={documentId} />;
}

function Crashed() {
  const { t } = useTexts();
  return (
    <ErrorNotice error={{ message: t("app.crashed") }}>
      <Button onClick={() => window.location.reload()}>{t("app.reload")}</Button>
    </ErrorNotice>
  );
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createStudioRouter>;
  }
}
