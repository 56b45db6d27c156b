/** Schedules that queue the newest commit. Maintainers can change them. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { schedulesQuery } from "@/api/queries";
import type { Schedule, ScheduleRequest, SessionInfo } from "@/api/types";
import { createSchedule, deleteSchedule } from "@/api/writes";
import { Allowed, Confirm, Field, Form, FormError, LabelsField, Loaded, TextField } from "@/components/form";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { namesTyped } from "@/lib/agents";
import { useChange } from "@/lib/hooks";
import { requesterText } from "@/lib/queue";
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
      <Section title="New schedule">
        <Allowed session={session} project={project} action="configure" what="manage schedules">
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
  if (schedules.length === 0) return <p className="muted">No schedules</p>;
  return (
    <>
      <RowTable
        label="Schedules"
        rows={schedules}
        keyOf={({ schedule_id }) => schedule_id}
        columns={[
          [
            rowHead("Schedule"),
            ({ cron }) => (
              <>
                {cronText(cron) ?? cron}
                <code className="line muted">{cron}</code>
              </>
            ),
          ],
          ["Next run", ({ next_at }) => formatMoment(next_at)],
          ["Preset", ({ preset }) => preset ?? <span className="muted">from roundtrip.toml</span>],
          ["Machines", ({ labels }) => (labels.length === 0 ? "all" : `all with ${labels.join(", ")}`)],
          ["Created by", ({ created_by }) => requesterText(created_by), "muted"],
          isAllowed && [
            unseen("Remove"),
            ({ schedule_id, cron }) => (
              <Confirm
                label="Remove"
                name={`Remove ${cron}`}
                question={`Remove the schedule ${cron}?`}
                isBusy={ending.isPending}
                onConfirm={() => ending.mutate(schedule_id)}
              >
                Queued jobs remain.
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

const CRON_NOTE = "Cron in UTC: minute, hour, day of month, month, weekday.";

function ScheduleForm({ project }: { project: string }) {
  const [cron, setCron] = useState("30 2 * * *");
  const making = useChange((request: ScheduleRequest) => createSchedule(project, request), OLD);
  return (
    <Form
      label="New schedule"
      submit="Create schedule"
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
            <output>{cronText(cron) ?? <span className="muted">Not a valid schedule</span>}</output>
          </>
        )}
      </Field>
      <TextField label="Preset" name="preset" note="Empty: from roundtrip.toml." />
      <LabelsField of="job" />
    </Form>
  );
}
