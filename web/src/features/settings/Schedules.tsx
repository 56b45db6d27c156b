/** When the newest commit of a project is measured: listed for everybody, made and ended by maintainers. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { schedulesQuery } from "@/api/queries";
import type { Schedule, ScheduleRequest, SessionInfo } from "@/api/types";
import { createSchedule, deleteSchedule } from "@/api/writes";
import { Confirm, Field, FormError, Loaded, NotAllowed } from "@/components/form";
import { Section } from "@/components/ui/states";
import { Table, unseen } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { labelsOf } from "@/lib/agents";
import { useChange } from "@/lib/hooks";
import { askerText } from "@/lib/queue";
import { formatMoment } from "@/lib/time";
import { cronText } from "./data";

type Props = { project: string; session: SessionInfo };

export function Schedules({ project, session }: Props) {
  const isAllowed = refusal(session, project, "configure") === null;
  const schedules = useQuery(schedulesQuery(project));
  return (
    <>
      <Section title="Schedules">
        <Loaded query={schedules}>
          {({ schedules: list }) => (
            <ScheduleTable project={project} schedules={list} isAllowed={isAllowed} />
          )}
        </Loaded>
      </Section>
      <Section title="Make a schedule">
        {isAllowed ? (
          <ScheduleForm project={project} />
        ) : (
          <NotAllowed session={session} project={project} action="configure" what="make and end schedules" />
        )}
      </Section>
    </>
  );
}

type TableProps = { project: string; schedules: Schedule[]; isAllowed: boolean };

function ScheduleTable({ project, schedules, isAllowed }: TableProps) {
  const ending = useChange(
    (schedule_id: number) => deleteSchedule(project, schedule_id),
    ["/api/v1/projects/{project}/schedules"],
  );
  if (schedules.length === 0) {
    return <p className="muted">There is none: the newest commit is measured when somebody asks for it.</p>;
  }
  return (
    <>
      <Table
        label="Schedules"
        heads={["when", "next", "measures", "on", "made by", ...(isAllowed ? [unseen("remove")] : [])]}
      >
        <tbody>
          {schedules.map((schedule) => (
            <tr key={schedule.schedule_id}>
              <th scope="row">
                {cronText(schedule.cron) ?? schedule.cron}
                <code className="line muted">{schedule.cron}</code>
              </th>
              <td>{formatMoment(schedule.next_at)}</td>
              <td>{schedule.preset ?? <span className="muted">what its roundtrip.toml says</span>}</td>
              <td>
                {schedule.labels.length === 0
                  ? "every machine"
                  : `every machine with ${schedule.labels.join(", ")}`}
              </td>
              <td className="muted">{askerText(schedule.created_by)}</td>
              {isAllowed && (
                <td className="number">
                  <Confirm
                    label="Remove"
                    name={`Remove ${schedule.cron}`}
                    question={`End the schedule ${schedule.cron}?`}
                    isBusy={ending.isPending}
                    onConfirm={() => ending.mutate(schedule.schedule_id)}
                  >
                    What it asked for already stays in the queue.
                  </Confirm>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
      <FormError error={ending.error} fields={[]} />
    </>
  );
}

const FIELDS = ["cron", "preset", "labels"];
const CRON_NOTE = "Minute, hour, day of the month, month, day of the week, in UTC.";

function ScheduleForm({ project }: { project: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [cron, setCron] = useState("30 2 * * *");
  const making = useChange(
    (request: ScheduleRequest) => createSchedule(project, request),
    ["/api/v1/projects/{project}/schedules"],
  );
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    making.mutate(requestOf(new FormData(event.currentTarget)), { onSuccess: () => form.current?.reset() });
  };
  const { error } = making;
  return (
    <form className="form" ref={form} onSubmit={make} aria-label="Make a schedule">
      <Field label="When" name="cron" error={error} note={CRON_NOTE}>
        {(input) => (
          <>
            <input
              {...input}
              required
              value={cron}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => {
                making.reset();
                setCron(target.value);
              }}
            />
            <output>
              {cronText(cron) ?? <span className="muted">No time that is understood here.</span>}
            </output>
          </>
        )}
      </Field>
      <Field label="Preset" name="preset" error={error} note="Empty: what the commit’s roundtrip.toml says.">
        {(input) => <input {...input} spellCheck={false} autoComplete="off" />}
      </Field>
      <Field
        label="Labels"
        name="labels"
        error={error}
        note="On every machine that has these, with commas between. Empty: on every one."
      >
        {(input) => <input {...input} placeholder="none" spellCheck={false} autoComplete="off" />}
      </Field>
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Make schedule
        </button>
      </div>
    </form>
  );
}

function requestOf(data: FormData): ScheduleRequest {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  return {
    cron: text("cron"),
    labels: labelsOf(text("labels")),
    ...(text("preset") !== "" && { preset: text("preset") }),
  };
}
