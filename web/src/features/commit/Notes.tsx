/** The notes of users on the commit. */
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import type { Note, SessionInfo } from "@/api/types";
import { addNote, deleteNote } from "@/api/writes";
import { Field, Form, FormError } from "@/components/form";
import { TextButton } from "@/components/ui/controls";
import { ErrorState, Section } from "@/components/ui/states";
import { Ago } from "@/components/ui/text";
import { mayDelete, refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { requesterText } from "@/lib/queue";
import { notesAt } from "./load";

const CHANGED = ["/api/v1/projects/{project}/notes"] as const;

export function Notes({ project, sha }: { project: string; sha: string }) {
  const { data, error, refetch } = useQuery(notesAt(project, sha));
  const { data: session } = useQuery(sessionQuery);
  const notes = data?.notes ?? [];
  const mayAdd = session !== undefined && refusal(session, project, "queue") === null;
  if (notes.length === 0 && !mayAdd && error === null) return null;
  return (
    <Section title="Notes">
      {error !== null && data === undefined && (
        <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />
      )}
      <ul className="notes">
        {notes.map((note) => (
          <li key={note.note_id}>
            <p>{note.text}</p>
            <NoteFoot project={project} note={note} session={session} />
          </li>
        ))}
      </ul>
      {mayAdd && <NoteForm project={project} sha={sha} />}
    </Section>
  );
}

type NoteProps = { project: string; note: Note; session: SessionInfo | undefined };

function NoteFoot({ project, note, session }: NoteProps) {
  const deleting = useChange(() => deleteNote(project, note.note_id), CHANGED);
  return (
    <p className="muted">
      {requesterText(note.created_by)}, <Ago moment={note.created_at} />
      {session !== undefined && mayDelete(note.created_by, session, project) && (
        <>
          {" "}
          <TextButton disabled={deleting.isPending} onClick={() => deleting.mutate(undefined)}>
            Delete
          </TextButton>
        </>
      )}
      <FormError error={deleting.error} />
    </p>
  );
}

const TEXT_MAX = 2000;

function NoteForm({ project, sha }: { project: string; sha: string }) {
  const adding = useChange((text: string) => addNote(project, sha, text), CHANGED);
  return (
    <Form
      label="New note"
      submit="Add note"
      change={adding}
      onSubmit={({ text }, form) => adding.mutate(text("text"), { onSuccess: () => form.reset() })}
    >
      <Field label="Note" name="text" note="Shown at this commit in all charts.">
        {(input) => <textarea {...input} rows={2} maxLength={TEXT_MAX} required />}
      </Field>
    </Form>
  );
}
