/** Creates a project before its first run, for server administrators. */
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
        <h1>New project</h1>
        <p className="lede">A first upload also creates a project.</p>
      </header>
      <div className="section">
        <Allowed session={session} project="" action="run-server" what="create projects">
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
      submit="Create project"
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
      <TextField label="Name" name="project" note="Lower-case letters, digits and hyphens." required />
      <RepositoryField />
      <TextField
        label="Default branch"
        name="default_branch"
        note="Trends use its runs. Empty: from the first run."
        placeholder="main"
      />
    </Form>
  );
}
