/** Deletes a project with all that was measured of it, once its name was typed. */
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { deleteProject } from "@/api/settings";
import type { ProjectSummary, SessionInfo } from "@/api/types";
import { Field, FormError } from "@/components/form/Field";
import { NotAllowed } from "@/components/form/NotAllowed";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { counted } from "@/lib/units";

type Props = { summary: ProjectSummary; session: SessionInfo };

export function DeleteProject({ summary, session }: Props) {
  const { project } = summary;
  return (
    <Section title={`Delete ${project}`}>
      {refusal(session, project, "delete") === null ? (
        <DeleteForm summary={summary} />
      ) : (
        <NotAllowed session={session} project={project} action="delete" what="delete it" />
      )}
    </Section>
  );
}

function DeleteForm({ summary }: { summary: ProjectSummary }) {
  const { project } = summary;
  const [typed, setTyped] = useState("");
  // What is in memory was of a project that is no more.
  const deleting = useMutation({
    mutationFn: () => deleteProject(project),
    onSuccess: () => window.location.assign("/"),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === project) deleting.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      <p>
        {counted(summary.run_count, "run")} with {counted(summary.series_count, "series", "series")} over{" "}
        {counted(summary.commit_count, "commit")} go, all changes that were found, and what people said of
        them. Its tokens are revoked. There is no way back, except a backup.
      </p>
      <Field label={`Type ${project}`} name="confirmation" error={null}>
        {(input) => (
          <input
            {...input}
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <FormError error={deleting.error} fields={[]} />
      <div className="controls">
        <button type="submit" className="button warning" disabled={typed !== project || deleting.isPending}>
          Delete {project} for good
        </button>
      </div>
    </form>
  );
}
