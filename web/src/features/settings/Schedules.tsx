/** When the newest commit of a project is measured: listed for everybody, made and ended by maintainers. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { schedulesQuery } from "@/api/queries";
import type { Schedule, ScheduleRequest, SessionInfo } from "@/api/types";
import { createSchedule, deleteSchedule } from "@/api/writes";
import { Allowed, Confirm, Field, Form, FormError, Loaded, TextField } from "@/components/form";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { namesTyped } from "@/lib/agents";
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
        <Allowed session={session} project={project} action="configure" what="make and end schedules">
          <ScheduleForm project={project} />
        </Allowed>
      </Section>
    </>
  );
}

const OLD = ["/api/v1/projects/{project}/schedules"] as const;

type TableProps = { project: string; schedules: Schedule[]; isAllowed: boolean };

function ScheduleTable({ project, schedules, isAllowed }: TableProps) {
  const ending = useChange((schedule_id: number) => deleteSchedule(project, schedule_id), OLD);
  if (schedules.length === 0) {
    return <p className="muted">There is none: the newest commit is measured when somebody asks for it.</p>;
  }
  return (
    <>
      <RowTable
        label="Schedules"
        rows={schedules}
        keyOf={({ schedule_id }) => schedule_id}
        columns={[
          [
            rowHead("when"),
            ({ cron }) => (
              <>
                {cronText(cron) ?? cron}
                <code className="line muted">{cron}</code>
              </>
            ),
          ],
          ["next", ({ next_at }) => formatMoment(next_at)],
          ["measures", ({ preset }) => preset ?? <span className="muted">what its roundtrip.toml says</span>],
          [
            "on",
            ({ labels }) =>
              labels.length === 0 ? "every machine" : `every machine with ${labels.join(", ")}`,
          ],
          ["made by", ({ created_by }) => askerText(created_by), "muted"],
          isAllowed && [
            unseen("remove"),
            ({ schedule_id, cron }) => (
              <Confirm
                label="Remove"
                name={`Remove ${cron}`}
                question={`End the schedule ${cron}?`}
                isBusy={ending.isPending}
                onConfirm={() => ending.mutate(schedule_id)}
              >
                What it asked for already stays in the queue.
              </Confirm>
            ),
            "number",
          ],
        ]}
      />
      <FormError error={ending.error} />
    </>
  );
}

const CRON_NOTE = "Minute, hour, day of the month, month, day of the week, in UTC.";

function ScheduleForm({ project }: { project: string }) {
  const [cron, setCron] = useState("30 2 * * *");
  const making = useChange((request: ScheduleRequest) => createSchedule(project, request), OLD);
  return (
    <Form
      label="Make a schedule"
      submit="Make schedule"
      change={making}
      onSubmit={({ text }, form) => {
        const [labels, preset] = [namesTyped(text("labels")), text("preset")];
        const request = { cron: text("cron"), labels, ...(preset !== "" && { preset }) };
        making.mutate(request, { onSuccess: () => form.reset() });
      }}
    >
      <Field label="When" name="cron" note={CRON_NOTE}>
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
      <TextField label="Preset" name="preset" note="Empty: what the commit’s roundtrip.toml says." />
      <TextField
        label="Labels"
        name="labels"
        note="On every machine that has these, with commas between. Empty: on every one."
        placeholder="none"
      />
    </Form>
  );
}
