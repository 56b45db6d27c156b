/** The actions on a regression in one row: triage, jobs and links. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { membersQuery, projectQuery, sessionQuery } from "@/api/queries";
import type {
  JobRequest,
  Regression,
  RegressionChange,
  RegressionDetail,
  RegressionState,
} from "@/api/types";
import { requestJobs } from "@/api/writes";
import { FormError, NotAllowed } from "@/components/form";
import { Button, CopyButton, optionsOf, SelectField, TextButton } from "@/components/ui/controls";
import { useRepository } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useChange } from "@/lib/hooks";
import { toQueue } from "@/lib/paths";
import { STATE_NAMES } from "@/lib/regressions";
import { applicationRoot, isSite, pagePath } from "@/lib/site";
import { counted, upperFirst } from "@/lib/units";
import { assigneesOf, bisectRequest, chatText, endsOf, issueOf, rerunRequest } from "./data";
import type { Done, Triage } from "./useTriage";

type Props = { project: string; detail: RegressionDetail; triage: Triage };

export function Actions({ project, detail, triage }: Props) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: settings } = useSuspenseQuery(projectQuery(project));
  const { regression } = detail;
  const url = `${applicationRoot()}${pagePath(`/${project}/regressions/${regression.regression_id}`)}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
    <div className="controls actions" role="group" aria-label="Actions">
      {session.account !== null && triage.isAllowed ? (
        <>
          <TriageControls
            project={project}
            regression={regression}
            me={session.account.name}
            isBusy={triage.isPending}
            onChange={(change) => triage.mutate({ regressions: [regression], change })}
          />
          {settings.repository_url !== null && <JobButtons project={project} regression={regression} />}
        </>
      ) : (
        !isSite() && <NotAllowed session={session} project={project} action="queue" what="triage" />
      )}
      <HostLinks detail={detail} url={url} />
      <CopyButton label="Copy for chat" content={() => chatText(detail, url)} />
    </div>
  );
}

type HostLinksProps = { detail: RegressionDetail; url: string };

/** The commits in question at the repository's host, and its form for an issue. */
function HostLinks({ detail, url }: HostLinksProps) {
  const repository = useRepository();
  const { base, head } = endsOf(detail.regression);
  const links = [
    ["Open changes", repository?.range(base, head)],
    ["Create issue", repository?.newIssue(issueOf(detail, url))],
  ] as const;
  return links.map(
    ([name, href]) =>
      href != null && (
        <a key={name} className="text-button" href={href} target="_blank" rel="noreferrer">
          {name}
        </a>
      ),
  );
}

const NONE = "";

type TriageControlsProps = {
  project: string;
  regression: Regression;
  me: string;
  isBusy: boolean;
  onChange: (change: RegressionChange) => void;
};

function TriageControls({ project, regression, me, isBusy, onChange }: TriageControlsProps) {
  const { state, assignee } = regression;
  const { data: members = [] } = useQuery(membersQuery(project));
  const accounts = assigneesOf(
    me,
    assignee,
    members.map(({ account }) => account),
  );
  return (
    <>
      {state === "new" && (
        <Button disabled={isBusy} aria-keyshortcuts="a" onClick={() => onChange({ state: "acknowledged" })}>
          Acknowledge
        </Button>
      )}
      <SelectField
        label="State"
        options={Object.entries(STATE_NAMES).map(([value, name]) => ({ value, label: upperFirst(name) }))}
        value={state}
        onChange={(value) => onChange({ state: value as RegressionState })}
      />
      <SelectField
        label="Assignee"
        options={[
          { value: NONE, label: "None" },
          ...optionsOf(accounts, (name) => (name === me ? `${name} (me)` : name)),
        ]}
        value={assignee ?? NONE}
        onChange={(value) => onChange({ assignee: value === NONE ? null : value })}
      />
    </>
  );
}

function JobButtons({ project, regression }: { project: string; regression: Regression }) {
  const queueing = useChange(
    (request: JobRequest) => requestJobs(project, request),
    ["/api/v1/projects/{project}/jobs"],
  );
  const { base, head } = endsOf(regression);
  const bisect = bisectRequest(regression);
  const queued = queueing.data?.job_ids.length;
  return (
    <>
      {bisect !== null && (
        <Button
          disabled={queueing.isPending}
          title={`Measure the commits after ${shortSha(base)} up to ${shortSha(head)}`}
          onClick={() => queueing.mutate(bisect)}
        >
          Bisect
        </Button>
      )}
      <Button
        disabled={queueing.isPending}
        title={`Compare ${shortSha(head)} with ${shortSha(base)} again, in pairs`}
        onClick={() => queueing.mutate(rerunRequest(regression))}
      >
        Re-run
      </Button>
      <span role="status">
        {queued !== undefined && (
          <Link {...toQueue(project)}>
            {queued === 0 ? "Already queued" : `${counted(queued, "job")} queued`}
          </Link>
        )}
      </span>
      <FormError error={queueing.error} />
    </>
  );
}

/** A notice of the last change, with a button that undoes it. */
export function UndoNotice({ done }: { done: Done | null }) {
  return (
    <div role="status" className="notice-area">
      {done !== null && (
        <p className="notice">
          <span>{done.text}</span>
          <TextButton onClick={done.undo} aria-keyshortcuts="u">
            Undo
          </TextButton>
          <TextButton onClick={done.dismiss} aria-label="Dismiss">
            ×
          </TextButton>
        </p>
      )}
    </div>
  );
}
