/** Makes a project before its first run, so that agents can be asked to measure it: for administrators of the server. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { sessionQuery } from "@/api/queries";
import type { ProjectRequest } from "@/api/types";
import { createProject } from "@/api/writes";
import { Field, FormError, NotAllowed, RepositoryField } from "@/components/form";
import { refusal } from "@/lib/access";
import { useChange, useTitle } from "@/lib/hooks";
import { toHome, toMachines } from "@/lib/paths";

const FIELDS = ["project", "repository_url", "default_branch"];

export function NewProjectPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle("New project");
  return (
    <>
      <header>
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toHome()}>Projects</Link>
            </li>
            <li>new</li>
          </ol>
        </nav>
        <h1>A new project</h1>
        <p className="lede">
          A project begins with its first run, too. One that is made here can be measured by agents at once.
        </p>
      </header>
      <div className="section">
        {refusal(session, "", "run-server") === null ? (
          <NewProjectForm />
        ) : (
          <NotAllowed session={session} project="" action="run-server" what="make projects" />
        )}
      </div>
    </>
  );
}

function NewProjectForm() {
  const navigate = useNavigate();
  const making = useChange(createProject, ["/api/v1/projects"]);
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    making.mutate(requestOf(new FormData(event.currentTarget)), {
      onSuccess: ({ project }) => navigate(toMachines(project)),
    });
  };
  const { error } = making;
  return (
    <form className="form" onSubmit={make} aria-label="New project">
      <Field
        label="Name"
        name="project"
        error={error}
        note="In addresses: lower-case letters, digits and hyphens between them."
      >
        {(input) => <input {...input} required spellCheck={false} autoComplete="off" />}
      </Field>
      <RepositoryField error={error} />
      <Field
        label="Default branch"
        name="default_branch"
        error={error}
        note="Charts follow its runs. Empty: what the first run says."
      >
        {(input) => <input {...input} placeholder="main" spellCheck={false} autoComplete="off" />}
      </Field>
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Make project
        </button>
      </div>
    </form>
  );
}

function requestOf(data: FormData): ProjectRequest {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  return {
    project: text("project"),
    ...(text("repository_url") !== "" && { repository_url: text("repository_url") }),
    ...(text("default_branch") !== "" && { default_branch: text("default_branch") }),
  };
}
