/** Comments on a regression and the history of its triage, with a form for another comment. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { sessionQuery, timelineQuery } from "@/api/queries";
import { addComment, deleteComment } from "@/api/writes";
import { Field, Form, FormError, Loaded } from "@/components/form";
import { TextButton } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { Ago } from "@/components/ui/text";
import { mayDelete, refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { requesterText } from "@/lib/queue";
import { wordsOf } from "./data";

type Props = { project: string; regressionId: number };

const OLD = ["/api/v1/projects/{project}/regressions/{regression_id}/timeline"] as const;

export function Timeline({ project, regressionId }: Props) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const timeline = useQuery(timelineQuery(project, regressionId));
  const deleting = useChange((id: number) => deleteComment(project, regressionId, id), OLD);
  return (
    <Section title="Activity">
      <Loaded query={timeline}>
        {({ entries }) => (
          <ol className="timeline">
            {entries.length === 0 && <li className="muted">No comments.</li>}
            {entries.map(({ happened_at, actor, changes, comment }) => (
              <li key={`${happened_at} ${comment?.comment_id}`}>
                <span className="muted">
                  {requesterText(actor)}, <Ago moment={happened_at} />
                </span>
                {comment === null ? (
                  <span className="muted">{wordsOf(changes)}</span>
                ) : (
                  <span className="comment">{comment.text}</span>
                )}
                {comment !== null && mayDelete(comment.created_by, session, project) && (
                  <TextButton
                    disabled={deleting.isPending}
                    onClick={() => deleting.mutate(comment.comment_id)}
                  >
                    Delete
                  </TextButton>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <FormError error={deleting.error} />
      {refusal(session, project, "queue") === null && (
        <CommentForm project={project} regressionId={regressionId} />
      )}
    </Section>
  );
}

function CommentForm({ project, regressionId }: Props) {
  const adding = useChange((text: string) => addComment(project, regressionId, text), OLD);
  return (
    <Form
      className="triage"
      label="New comment"
      submit="Comment"
      change={adding}
      onSubmit={({ text }, form) => adding.mutate(text("text"), { onSuccess: () => form.reset() })}
    >
      <Field label="Comment" name="text">
        {(input) => <textarea rows={2} maxLength={4000} required {...input} />}
      </Field>
    </Form>
  );
}
