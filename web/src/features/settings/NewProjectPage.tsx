/** Makes a project before its first run, so that agents can be asked to measure it: for administrators of the server. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { sessionQuery } from "@/api/queries";
import { createProject } from "@/api/writes";
import { Allowed, Form, RepositoryField, TextField } from "@/components/form";
import { Breadcrumb } from "@/components/ui/states";
import { useChange, useTitle } from "@/lib/hooks";
import { toHome, toMachines } from "@/lib/paths";

export function NewProjectPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle("New project");
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toHome()}>Projects</Link>
          <>new</>
        </Breadcrumb>
        <h1>A new project</h1>
        <p className="lede">
          A project begins with its first run, too. One that is made here can be measured by agents at once.
        </p>
      </header>
      <div className="section">
        <Allowed session={session} project="" action="run-server" what="make projects">
          <NewProjectForm />
        </Allowed>
      </div>
    </>
  );
}

function NewProjectForm() {
  const navigate = useNavigate();
  const making = useChange(createProject, ["/api/v1/projects"], ({ project }) =>
    navigate(toMachines(project)),
  );
  return (
    <Form
      label="New project"
      submit="Make project"
      change={making}
      onSubmit={({ text }) => {
        const [repository_url, default_branch] = [text("repository_url"), text("default_branch")];
        making.mutate({
          project: text("project"),
          ...(repository_url !== "" && { repository_url }),
          ...(default_branch !== "" && { default_branch }),
        });
      }}
    >
      <TextField
        label="Name"
        name="project"
        note="In addresses: lower-case letters, digits and hyphens between them."
        required
      />
      <RepositoryField />
      <TextField
        label="Default branch"
        name="default_branch"
        note="Charts follow its runs. Empty: what the first run says."
        placeholder="main"
      />
    </Form>
  );
}
